import { expect, test } from "@playwright/test";
import { languages } from "#shared/i18n/language.ts";

const sizes = [
  [360, 640],
  [375, 667],
  [390, 844],
  [844, 390],
  [667, 375],
  [720, 450],
  [768, 1024],
  [1440, 900],
  [1920, 1080],
] as const;

for (const language of languages) {
  test(`name, facts and one Register are on the first screen in ${language}`, async ({ page }) => {
    await page.goto(`/?lang=${language}`);
    const hero = page.locator(".hero");
    const parts = [".hero-lead", ".hero-facts", ".arrow-link"];
    const inHero = hero.locator(".button");
    const atFoot = page.locator(".call-to-action-bar");
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      const size = `at ${width} by ${height}`;
      for (const part of [hero.getByRole("heading"), ...parts.map((part) => hero.locator(part))]) {
        await expect(part, size).toBeInViewport({ ratio: 1 });
      }
      const isPhone = width < 768 && height > 416;
      await expect(isPhone ? atFoot : inHero, size).toBeInViewport({ ratio: 1 });
      await expect(isPhone ? inHero : atFoot, size).toBeHidden();
      if (isPhone) {
        const foot = (await atFoot.boundingBox())?.y ?? 0;
        const facts = await hero.locator(".hero-facts").boundingBox();
        expect((facts?.y ?? 0) + (facts?.height ?? 0), size).toBeLessThan(foot);
      }
    }
  });
}

test("a phone's views are as wide as the window, and their levels stay in sight", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/?lang=zh");
  const views = page.locator(".views-40 .large-picture");
  const north = views.last();
  await north.scrollIntoViewIfNeeded();
  for (const view of await views.all()) {
    expect(await view.boundingBox()).toMatchObject({ x: 0, width: 390 });
  }
  await expect(north).toBeInViewport();
  await expect(page.locator(".views-levels .chip").first()).toBeInViewport({ ratio: 1 });
});

test("texts have at least 15 px", async ({ page }) => {
  for (const path of ["/?lang=en", "/?lang=zh", "/floor-plans?lang=en", "/floor-plans?lang=zh"]) {
    await page.goto(path);
    expect(await page.evaluate(smallTexts), path).toEqual([]);
  }
});

test("a phone's home page is short, loads little, and has pictures of 150 px", async ({
  browser,
}) => {
  for (const language of languages) {
    const page = await browser.newPage({
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 3,
    });
    let bytes = 0;
    page.on("response", async (response) => {
      if (response.request().resourceType() === "image") {
        bytes += (await response.body()).length;
      }
    });
    await page.goto(`/?lang=${language}`, { waitUntil: "networkidle" });
    expect(bytes, language).toBeGreaterThan(0);
    expect(bytes, language).toBeLessThan(140_000);

    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    const before = await height();
    expect(before, language).toBeLessThan(10_950);
    const widths = await page.locator("main figure").evaluateAll(shownWidths);
    expect(widths.length).toBeGreaterThanOrEqual(9);
    expect(Math.min(...widths), language).toBeGreaterThanOrEqual(150);

    // A picture that loads later takes the place that the page has kept.
    await page.locator(".views-40 img").first().scrollIntoViewIfNeeded();
    await expect.poll(() => page.locator(".views-40 img").first().evaluate(isShown)).toBe(true);
    expect(await height(), language).toBe(before);
    await page.close();
  }
});

/** Runs in the page: the widths of visible figures, as far as a gallery shows them. */
function shownWidths(figures: Element[]): number[] {
  return figures
    .filter((figure) => figure.checkVisibility())
    .map((figure) => {
      const swiped = figure.parentElement?.closest(".swipe");
      return Math.min(figure.clientWidth, swiped?.clientWidth ?? Number.POSITIVE_INFINITY);
    });
}

/** Runs in the page. */
function isShown(image: Element): boolean {
  return image instanceof HTMLImageElement && image.complete && image.naturalWidth > 0;
}

/** Runs in the page: the visible texts smaller than 15 px. */
function smallTexts(): string[] {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const small = new Set<string>();
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const text = texts.currentNode.textContent?.trim();
    if (element !== null && text && element.checkVisibility() && element.closest("svg") === null) {
      if (Number.parseFloat(getComputedStyle(element).fontSize) < 15) {
        small.add(text);
      }
    }
  }
  return [...small];
}
