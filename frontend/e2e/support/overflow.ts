import { expect, type Page } from "@playwright/test";

/** Checks that the page does not scroll sideways at the present width, or at each of the given widths. */
export async function expectNoOverflow(page: Page, widths?: readonly number[]): Promise<void> {
  // Without its styles a page is wider.
  await page.waitForLoadState();
  const height = page.viewportSize()?.height ?? 800;
  for (const width of widths ?? [page.viewportSize()?.width ?? 0]) {
    await page.setViewportSize({ width, height });
    const over = () => document.documentElement.scrollWidth - window.innerWidth;
    expect(await page.evaluate(over), `at ${width}`).toBeLessThanOrEqual(0);
  }
}
