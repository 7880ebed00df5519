import { expect } from "@playwright/test";
import { languageTags } from "#shared/i18n/language.ts";
import { test } from "./support/site.ts";

for (const [path, id] of [
  ["/", "home"],
  ["/floor-plans", "floorPlans"],
] as const) {
  test(`the head of ${path} is complete before any script runs`, async ({
    page,
    request,
    language,
    texts,
    problems,
  }) => {
    problems.expect(/ERR_FAILED/);
    await page.route("**/*.js", (route) => route.abort());
    await page.goto(`${path}?lang=${language}`);
    const content = (selector: string) => page.locator(selector).getAttribute("content");
    const href = async (selector: string) =>
      new URL((await page.locator(selector).getAttribute("href")) ?? "");

    await expect(page).toHaveTitle(texts.head[id].title);
    expect(await content("meta[name=description]")).toBe(texts.head[id].description);
    const canonical = await href("link[rel=canonical]");
    expect(canonical.pathname).toBe(path);
    expect(canonical.search).toBe(language === "zh" ? "?lang=zh" : "");
    expect((await href("link[hreflang=en]")).search).toBe("");
    expect((await href("link[hreflang=zh-Hans]")).search).toBe("?lang=zh");
    expect((await href("link[hreflang=x-default]")).search).toBe("");

    expect(await content("meta[property='og:title']")).toBe(texts.head[id].title);
    const picture = new URL((await content("meta[property='og:image']")) ?? "");
    expect(picture.pathname).toContain(language);
    const served = await request.get(picture.pathname);
    expect(served.status()).toBe(200);
    expect(served.headers()["content-type"]).toBe("image/jpeg");

    const data = JSON.parse(
      (await page.locator("script[type='application/ld+json']").first().textContent()) ?? "",
    );
    const [development, organisation] = data["@graph"];
    expect([development["@type"], organisation["@type"]]).toEqual([
      "ApartmentComplex",
      "Organization",
    ]);
    const plans: { name: string; layoutImage: string }[] = development.accommodationFloorPlan;
    expect(plans.map(({ name }) => name)).toEqual(
      Object.values(texts.unit).map(({ heading }) => heading.replaceAll("\u00a0", " ")),
    );
    for (const address of [organisation.logo, ...plans.map(({ layoutImage }) => layoutImage)]) {
      const { pathname } = new URL(address);
      const picture = await request.get(pathname);
      expect(picture.headers()["content-type"], pathname).toMatch(/^image\//);
    }
  });
}

test("the head changes with the page", async ({ page, visit, texts, language }) => {
  await visit("/floor-plans");
  await page
    .getByRole("contentinfo")
    .getByRole("link", { name: texts.footer.aboutDeveloper })
    .click();
  await expect(page).toHaveTitle(texts.head.home.title);
  const canonical = await page.locator("link[rel=canonical]").getAttribute("href");
  expect(new URL(canonical ?? "").pathname).toBe("/");
  await expect(page.locator("html")).toHaveAttribute("lang", languageTags[language]);
});

test("the sitemap in robots.txt lists every page in both languages", async ({ request }) => {
  const robots = await request.get("/robots.txt");
  expect(robots.status()).toBe(200);
  const address = /^Sitemap: (\S+)$/m.exec(await robots.text())?.[1] ?? "";
  const sitemap = await request.get(new URL(address).pathname);
  expect(sitemap.headers()["content-type"]).toContain("text/xml");
  const pages = [...(await sitemap.text()).matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, loc]) => {
    const url = new URL((loc ?? "").replaceAll("&amp;", "&"));
    return url.pathname + url.search;
  });
  expect(pages.sort()).toEqual(["/", "/?lang=zh", "/floor-plans", "/floor-plans?lang=zh"]);
  for (const path of pages) {
    expect((await request.get(path)).status()).toBe(200);
  }
});

test("the icons of the web manifest have the declared size", async ({ page, request }) => {
  await page.goto("/");
  const address = (await page.locator("link[rel=manifest]").getAttribute("href")) ?? "";
  const answer = await request.get(address);
  expect(answer.headers()["content-type"]).toContain("application/manifest+json");
  const manifest = await answer.json();
  expect(manifest.name).toBe("Zyon Grand");
  for (const { src, sizes, type } of manifest.icons) {
    const icon = await request.get(src);
    expect(icon.headers()["content-type"], src).toBe(type);
    // Width and height are at a fixed place in a PNG file.
    const png = await icon.body();
    expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`, src).toBe(sizes);
  }
  expect(manifest.icons).toHaveLength(3);
});
