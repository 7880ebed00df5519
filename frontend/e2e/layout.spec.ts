import { expect, test } from "@playwright/test";
import { messages } from "#i18n/all-languages.ts";
import { languages } from "#i18n/language.ts";

const sizes = [
  [390, 844],
  [844, 390],
  [667, 375],
  [720, 450],
  [768, 1024],
  [1440, 900],
  [1920, 1080],
] as const;

test("name, tagline and Register fit into the first screen", async ({ page }) => {
  await page.goto("/?lang=en");
  const hero = page.locator(".hero");
  const tagline = hero.locator(".hero-lead");
  const register = hero.getByRole("button", { name: messages.en.bar.register });
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    for (const part of [hero.getByRole("heading"), tagline, register]) {
      await expect(part, `at ${width} by ${height}`).toBeInViewport({ ratio: 1 });
    }
  }
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
    expect(before, language).toBeLessThan(10_300);
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
