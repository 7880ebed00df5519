import { expect } from "@playwright/test";
import { entry, LEADS_PATH } from "../support/registration-page.ts";
import { test } from "../support/site.ts";

// The button's place in the window, as a share of its height.
for (const [width, height, share] of [
  [360, 640, 0.6],
  [360, 640, 0.95],
  [390, 844, 0.8],
  [1440, 900, 0.6],
  [1440, 900, 0.95],
] as const) {
  test(`shows the confirmation at ${share * 100} % of ${width} by ${height}`, async ({
    registration,
  }) => {
    const { page, note, reference, toast } = registration;
    await page.setViewportSize({ width, height });
    const json = { id: crypto.randomUUID(), reference: "ZG-TYZQ-3V" };
    await page.route(LEADS_PATH, (route) => route.fulfill({ status: 202, json }));
    await registration.fill(entry());
    await registration.submitButton.evaluate((button, share) => {
      const top = button.getBoundingClientRect().bottom - innerHeight * share;
      window.scrollBy({ top, behavior: "instant" });
    }, share);
    await registration.submit();
    await expect(reference).toBeVisible();
    await expect(page.locator(".registration-note")).toBeFocused();
    for (const part of [note.getByRole("heading"), reference]) {
      await expect(part).toBeInViewport({ ratio: 1 });
    }
    const [over, under] = [await toast.boundingBox(), await note.boundingBox()];
    const apart =
      over && under && (over.y + over.height <= under.y || over.x + over.width <= under.x);
    expect(apart).toBe(true);
    await registration.expectEmpty();
  });
}
