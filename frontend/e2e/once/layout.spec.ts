import { expect, test } from "@playwright/test";
import { messages } from "#i18n/all-languages.ts";

const sizes = [
  [390, 844],
  [844, 390],
  [667, 375],
  [720, 450],
  [768, 1024],
  [1440, 900],
  [1920, 1080],
] as const;

for (const [width, height] of sizes) {
  test(`name, tagline and Register fit into ${width} by ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto("/?lang=en");
    const hero = page.locator(".hero");
    const tagline = hero.locator(".hero-lead");
    const register = hero.getByRole("button", { name: messages.en.bar.register });
    for (const part of [hero.getByRole("heading"), tagline, register]) {
      await expect(part).toBeInViewport({ ratio: 1 });
    }
  });
}

test("pictures of the home page are at least 150 px wide on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/?lang=en");
  const frames = await page.locator("main figure").evaluateAll((figures) =>
    figures
      .filter((figure) => figure.checkVisibility())
      .map((figure) => {
        const swiped = figure.parentElement?.closest(".swipe");
        return Math.min(figure.clientWidth, swiped?.clientWidth ?? Number.POSITIVE_INFINITY);
      }),
  );
  expect(frames.length).toBeGreaterThanOrEqual(9);
  expect(Math.min(...frames)).toBeGreaterThanOrEqual(150);
});

for (const language of ["en", "zh"]) {
  for (const path of ["/", "/floor-plans"]) {
    test(`text on ${path} has at least 15 px in ${language}`, async ({ page }) => {
      await page.goto(`${path}?lang=${language}`);
      expect(await page.evaluate(smallTexts)).toEqual([]);
    });
  }

  test(`the home page of a phone is below 10,000 px in ${language}`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/?lang=${language}`);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(10_000);
  });

  test(`a phone first loads at most 140 KB of pictures in ${language}`, async ({ browser }) => {
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
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(140_000);
    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    const before = await height();
    await page.locator(".views-40 img").first().scrollIntoViewIfNeeded();
    await expect.poll(() => page.locator(".views-40 img").first().evaluate(isShown)).toBe(true);
    expect(await height()).toBe(before);
    await page.close();
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
