import { expect, type Page } from "@playwright/test";
import { violationsOf } from "../support/axe.ts";
import { hydrated } from "../support/hydrated.ts";
import { test } from "../support/site.ts";

const picture = (page: Page) => page.locator(".large-picture").nth(1);

test.beforeEach(async ({ visit }) => visit("/"));

test("closing a picture returns the focus to its link", async ({ page, texts }) => {
  await hydrated(page);
  const dialog = page.getByRole("dialog");
  for (const close of [
    () => page.keyboard.press("Escape"),
    () => dialog.getByRole("button", { name: texts.viewer.close }).click(),
  ]) {
    await picture(page).focus();
    await page.keyboard.press("Enter");
    await expect(dialog).toBeVisible();
    await close();
    // By element, because a closed dialog has no role even before React removes it.
    await expect(page.locator("dialog")).toHaveCount(0);
    await expect(picture(page)).toBeFocused();
  }
});

test("the viewer shows no picture smaller than on the page", async ({ page, texts }) => {
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto("/?lang=en");
    await hydrated(page);
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

for (const width of [390, 1440]) {
  test(`a view from another level opens in the viewer at ${width}`, async ({ page, texts }) => {
    await page.setViewportSize({ width, height: 844 });
    await page.getByRole("group", { name: texts.benefits.level }).getByLabel("60").check();
    await page.locator(".views figure").filter({ visible: true }).first().getByRole("link").click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("heading")).toContainText("60");
    expect(await violationsOf(page, "dialog")).toEqual([]);
    await page.keyboard.press("+");
    expect(await violationsOf(page, "dialog")).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    expect(await violationsOf(page)).toEqual([]);
  });
}

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
