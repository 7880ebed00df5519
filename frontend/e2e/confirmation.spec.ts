import { expect } from "@playwright/test";
import { entry, LEADS_PATH } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

test("the confirmation is in the window, wherever the button is", async ({ registration }) => {
  const { page, note, reference, toast } = registration;
  let submitted = 0;
  const referenceOf = (number: number) => `ZG-TYZ${number}-3V`;
  await page.route(LEADS_PATH, (route) => {
    submitted += 1;
    const json = { id: crypto.randomUUID(), reference: referenceOf(submitted) };
    return route.fulfill({ status: 202, json });
  });
  // The button's place in the window, as a share of its height.
  for (const [index, [width, height, share]] of (
    [
      [360, 640, 0.6],
      [360, 640, 0.95],
      [390, 844, 0.8],
      [1440, 900, 0.6],
      [1440, 900, 0.95],
    ] as const
  ).entries()) {
    await test.step(`at ${share * 100} % of ${width} by ${height}`, async () => {
      await page.setViewportSize({ width, height });
      await registration.fill(entry());
      await registration.submitButton.evaluate((button, share) => {
        const top = button.getBoundingClientRect().bottom - innerHeight * share;
        window.scrollBy({ top, behavior: "instant" });
      }, share);
      await registration.submit();
      await expect(reference).toHaveText(referenceOf(index + 1));
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
});
