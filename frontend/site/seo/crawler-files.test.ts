import { expect, it } from "vitest";
import { crawlerFiles } from "./crawler-files.ts";

const files = crawlerFiles("https://zyon.example");

it("the sitemap lists every indexed page with its alternates", () => {
  const sitemap = new DOMParser().parseFromString(files["sitemap.xml"] ?? "", "application/xml");
  const entries = [...sitemap.querySelectorAll("url")].map((entry) => ({
    address: entry.querySelector("loc")?.textContent,
    alternates: Object.fromEntries(
      [...entry.children]
        .filter(({ localName }) => localName !== "loc")
        .map((link) => [link.getAttribute("hreflang"), link.getAttribute("href")]),
    ),
  }));
  const alternates = (plain: string) => ({
    en: plain,
    "zh-Hans": `${plain}?lang=zh`,
    "x-default": plain,
  });
  expect(entries).toEqual(
    ["https://zyon.example/", "https://zyon.example/floor-plans"].flatMap((plain) => [
      { address: plain, alternates: alternates(plain) },
      { address: `${plain}?lang=zh`, alternates: alternates(plain) },
    ]),
  );
});

it("robots.txt disallows the API and names the sitemap", () => {
  expect(files["robots.txt"]).toBe(
    [
      "User-agent: *",
      "Disallow: /api/",
      "Disallow: /auth/",
      "Disallow: /functions/",
      "",
      "Sitemap: https://zyon.example/sitemap.xml",
      "",
    ].join("\n"),
  );
});
