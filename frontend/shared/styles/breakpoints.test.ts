import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const frontend = join(import.meta.dirname, "../..");

/** Listed in tokens.css. */
const allowed = [30, 48, 62, 80, 100].flatMap((width) => [
  `min-width: ${width}em`,
  `max-width: ${width - 1}.99em`,
]);

const stylesheets = ["shared", "site"].flatMap((folder) =>
  readdirSync(join(frontend, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".css"))
    .map((path) => join(folder, path)),
);

test.each(stylesheets)("%s uses only the five breakpoints", (path) => {
  const css = readFileSync(join(frontend, path), "utf8");
  const widths = [...css.matchAll(/@media[^{]*/g)].flatMap(([query]) => [
    ...query.matchAll(/(?:min-|max-)?(?:device-)?width[^)]*|[^(]*[<>][^)]*/g),
  ]);
  expect(widths.map(([width]) => width).filter((width) => !allowed.includes(width))).toEqual([]);
});
