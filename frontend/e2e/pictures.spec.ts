import { expect } from "@playwright/test";
import { violationsOf } from "./support/axe.ts";
import { holdRequests, hydrated } from "./support/hydrated.ts";
import { test } from "./support/site.ts";

test.beforeEach(async ({ visit }) => visit("/"));

test("the viewer shows no picture smaller than on the page", async ({ page, texts }) => {
  await hydrated(page);
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    const links = page.locator("a.large-picture").filter({ visible: true });
    const widths = await links.evaluateAll((all) =>
      all.map((link) => link.querySelector("img")?.clientWidth ?? 0),
    );
    await links.first().click();
    const dialog = page.getByRole("dialog");
    for (const [index, least] of widths.entries()) {
      await expect(dialog).toContainText(
        texts.viewer.position
          .replace("{{number}}", String(index + 1))
          .replace("{{count}}", String(widths.length)),
      );
      const shown = await dialog.locator("img").boundingBox();
      expect(shown?.width).toBeGreaterThanOrEqual(least);
      await page.keyboard.press("ArrowRight");
    }
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Escape");
    await expect(links.last()).toBeFocused();
    await expect(links.last()).toBeInViewport();
  }
});

test("a view from another level opens in the viewer, and closing it restores the focus", async ({
  page,
  texts,
}) => {
  await hydrated(page);
  await page.getByRole("group", { name: texts.benefits.level }).getByLabel("60").check();
  const link = page.locator(".views figure").filter({ visible: true }).first().getByRole("link");
  const dialog = page.getByRole("dialog");
  for (const [width, close] of [
    [390, () => page.keyboard.press("Escape")],
    [1440, () => dialog.getByRole("button", { name: texts.viewer.close }).click()],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    await link.focus();
    await page.keyboard.press("Enter");
    await expect(dialog.getByRole("heading")).toContainText("60");
    expect(await violationsOf(page, "dialog"), `at ${width}`).toEqual([]);
    await page.keyboard.press("+");
    expect(await violationsOf(page, "dialog"), `at ${width}`).toEqual([]);
    await close();
    // By element, because a closed dialog has no role even before React removes it.
    await expect(page.locator("dialog")).toHaveCount(0);
    await expect(link).toBeFocused();
  }
});

test("Back closes the viewer and leaves the page as it was", async ({ page, texts }) => {
  await hydrated(page);
  const address = page.url();
  const links = page.locator("a.large-picture").filter({ visible: true });
  const dialog = page.locator("dialog");
  await links.nth(1).click();
  await expect(dialog).toBeVisible();
  await expect(dialog.locator("source[type='image/avif']")).toHaveCount(1);
  const y = await page.evaluate(() => window.scrollY);
  await page.goBack();
  await expect(dialog).toHaveCount(0);
  expect(page.url()).toBe(address);
  expect(await page.evaluate(() => window.scrollY)).toBe(y);

  await links.nth(1).click();
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await links.nth(1).click();
  await dialog.getByRole("link", { name: texts.bar.register }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(/#contact-form$/);
  await expect(page.getByRole("form")).toBeInViewport();
  await page.goBack();
  expect(page.url()).toBe(address);
});

test("two pictures pressed before hydration open one viewer", async ({ page, texts }) => {
  const release = await holdRequests(page, "**/assets/site-*.js");
  await page.reload({ waitUntil: "domcontentloaded" });
  const links = page.locator("#zyon-grand a.large-picture");
  await expect(links.first()).toHaveAccessibleName(
    texts.viewer.enlarge.replace("{{caption}}", texts.pictures.arrival),
  );
  await links.first().click();
  await expect(links.first()).toHaveAttribute("aria-busy", "true");
  await links.nth(1).click();
  release();
  await expect(page.locator("dialog")).toHaveCount(1);
  await expect(page.getByRole("dialog")).toContainText(texts.pictures.living);
  await expect(page.locator("[aria-busy]")).toHaveCount(0);
});

test("a focused picture of a phone's gallery scrolls into the window", async ({ page }) => {
  await page.setViewportSize({ width: 412, height: 915 });
  await hydrated(page);
  for (const link of await page.locator(".swipe a").filter({ visible: true }).all()) {
    await link.focus();
    await expect.poll(() => link.evaluate(hiddenWidth), (await link.textContent()) ?? "").toBe(0);
  }
});

/** Runs in the page: the pixels of an element's width that are outside the window. */
function hiddenWidth(element: Element): number {
  const { left, right } = element.getBoundingClientRect();
  return Math.max(0, Math.ceil(-left), Math.ceil(right - innerWidth));
}
