import { expect, type Page } from "@playwright/test";
import { messages } from "#i18n/all-languages.ts";
import { test } from "../support/site.ts";

/** Opens the form and keeps its script away until it is let through. */
async function openWithoutScript(page: Page): Promise<{ letThrough: () => void }> {
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route("**/assets/*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("/#contact-form", { waitUntil: "commit" });
  await expect(page.locator("form button[type=submit]")).toBeDisabled();
  return { letThrough };
}

const line = (page: Page) => page.getByText(messages.en.registration.waiting);

test("a form whose script does not come says so after a while", async ({ page }) => {
  await openWithoutScript(page);
  await expect(line(page)).toBeHidden();
  const seconds = await line(page).evaluate((element) => {
    const [animation] = element.getAnimations();
    animation?.finish();
    return Number(animation?.effect?.getComputedTiming().delay) / 1000;
  });
  expect(seconds).toBe(6);
  await expect(line(page)).toBeVisible();
});

test("nothing moves when the script comes in time", async ({ page }) => {
  const { letThrough } = await openWithoutScript(page);
  const footer = page.getByRole("contentinfo");
  const top = () => footer.evaluate((element) => (element as HTMLElement).offsetTop);
  await page.evaluate(() => document.fonts.ready);
  const before = await top();
  letThrough();
  await expect(page.locator("form button[type=submit]")).toBeEnabled();
  await expect(line(page)).toHaveCount(0);
  expect(await top()).toBe(before);
});
