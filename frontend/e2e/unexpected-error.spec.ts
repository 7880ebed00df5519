import { expect } from "@playwright/test";
import { violationsOf } from "./support/axe.ts";
import { test } from "./support/site.ts";

test("an error in one section shows the generic error and leaves the form usable", async ({
  page,
  language,
  texts,
  problems,
}) => {
  problems.expect(/broken on purpose/, /Minified React error/);
  await page.addInitScript(() => {
    Date.prototype.getFullYear = () => {
      throw new Error("broken on purpose");
    };
  });
  await page.goto(`/?lang=${language}`);
  await page.mouse.move(5, 5);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.unexpected.heading);
  await expect(page.getByText(texts.unexpected.text)).toBeVisible();
  await expect(page.getByRole("banner")).toBeVisible();
  expect(await violationsOf(page)).toEqual([]);
  await page.locator("#name").fill("Mei");
  await expect(page.locator("#name")).toHaveValue("Mei");
});
