// What each document asks for before it is used, and the pictures of the first screen, as they travel. 1 kB is 1000 bytes.
import { readdirSync, readFileSync } from "node:fs";

/** A script and all that it imports. */
function withImports(name, found = new Set()) {
  if (!found.has(name)) {
    found.add(name);
    const text = readFileSync(`dist/assets/${name}`, "utf8");
    for (const [, imported] of text.matchAll(/(?:from|import)["'`]\.\/([^"'`]+\.js)["'`]/g)) {
      withImports(imported, found);
    }
  }
  return [...found].map((file) => `dist/assets/${file}`);
}

const live = readdirSync("dist/assets").find((name) => /^entry-client-.+\.js$/.test(name));

const documents = ["en", "zh"].flatMap((language) =>
  ["index.html", "floor-plans/index.html"].map((page) => ({
    path: `dist/documents/${language}/${page}`,
    fonts: language === "en" ? "48 kB" : "85 kB",
  })),
);

export default [
  ...documents.flatMap(({ path, fonts }) => {
    const [head = ""] = readFileSync(path, "utf8").split("</head>");
    const asked = (ending) =>
      [...head.matchAll(new RegExp(`"/(assets/[^"]+\\.${ending})"`, "g"))].map(
        ([, address]) => `dist/${address}`,
      );
    return [
      { name: path, path, limit: "16 kB", gzip: true },
      {
        name: `${path}: scripts before any interaction`,
        path: asked("js"),
        limit: "4 kB",
        gzip: true,
      },
      {
        name: `${path}: scripts at the first use`,
        path: [...new Set([...asked("js"), ...withImports(live)])],
        limit: "130 kB",
        gzip: true,
      },
      { name: `${path}: styles`, path: asked("css"), limit: "12 kB", gzip: true },
      { name: `${path}: fonts`, path: asked("woff2"), limit: fonts, brotli: false },
    ];
  }),
  { path: "dist/assets/hero-1600-*.avif", limit: "90 kB", brotli: false },
  { path: "dist/assets/hero-768-*.avif", limit: "30 kB", brotli: false },
  { path: "dist/assets/heroPhone-880-*.avif", limit: "60 kB", brotli: false },
];
