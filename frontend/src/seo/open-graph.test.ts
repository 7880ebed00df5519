import { expect, it } from "vitest";
import { messages } from "#i18n/all-languages.ts";
import { openGraphOf } from "./open-graph.ts";

const origin = "https://zyon.example";

it.each([
  [
    "en",
    "2 Bedroom Deluxe B2: Zyon Grand",
    "Illustrative layout of 2 Bedroom Deluxe B2",
    "/floor-plans?plan=B2",
  ],
  [
    "zh",
    "两卧室豪华型 B2：Zyon Grand",
    "两卧室豪华型 B2 户型示意图",
    "/floor-plans?plan=B2&lang=zh",
  ],
] as const)("a shared plan has its own title and picture in %s", (language, title, alt, path) => {
  const properties = openGraphOf("floorPlans", language, messages[language], origin, "B2");
  expect(Object.fromEntries(properties)).toMatchObject({
    "og:title": title,
    "og:url": `${origin}${path}`,
    "og:image": `${origin}/social/b2-${language}.jpg`,
    "og:image:alt": alt,
  });
});
