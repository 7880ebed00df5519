import { expect } from "@playwright/test";
import { violationsOf } from "./support/axe.ts";
import { entry, RegistrationPage } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

test("an error in one section shows the generic error and leaves the form usable", {
  tag: "@zh",
}, async ({ page, language, texts, problems }) => {
  problems.expect(/broken on purpose/, /Minified React error/);
  await page.addInitScript(() => {
    Date.prototype.getFullYear = () => {
      throw new Error("broken on purpose");
    };
  });
  await page.goto(`/?lang=${language}`);
  await page.mouse.move(5, 5);
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    await expect(page.getByRole("heading", { name: texts.unexpected.heading })).toBeVisible();
  }
  // The other sections stay.
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Zyon Grand");
  await expect(page.getByRole("heading", { name: texts.facilities.heading })).toBeVisible();
  await expect(page.getByText(texts.unexpected.text)).toBeVisible();
  await expect(page.getByRole("banner")).toBeVisible();
  expect(await violationsOf(page)).toEqual([]);
  await page.locator("#name").fill("Mei");
  await expect(page.locator("#name")).toHaveValue("Mei");
});

test("a browser that stops the scripts keeps the document and a form that is sent", async ({
  page,
  language,
  texts,
  problems,
}) => {
  problems.expect(/Minified React error/, /IntersectionObserver/);
  await page.addInitScript(() => {
    Reflect.deleteProperty(window, "IntersectionObserver");
  });
  await page.goto(`/?lang=${language}`);
  const session = await page.waitForResponse("**/functions/v1/form-session");
  expect(session.ok()).toBe(true);
  await expect(page.getByRole("heading", { name: texts.overview.heading })).toBeVisible();
  const form = new RegistrationPage(page, texts);
  await form.fill(entry());
  await form.submit();
  await expect(page).toHaveURL(/\/registered\?reference=ZG-/);
});
