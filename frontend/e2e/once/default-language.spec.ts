import { expect } from "@playwright/test";
import { test } from "../support/site.ts";

test.use({ locale: "zh-CN" });

for (const path of ["/", "/?lang=fr", "/floor-plans", "/floor-plans?lang="]) {
  test(`${path} is in English before the visitor chooses a language`, async ({ page }) => {
    await page.goto(path);
    await expect(page.locator("html")).toHaveAttribute("lang", "en");
    const toggle = page.getByRole("banner").getByRole("button", { name: "中文" });
    await expect(toggle).toBeVisible();
  });
}

test("a chosen language applies to every page until the next choice", async ({ page }) => {
  await page.goto("/?lang=zh");
  await page.goto("/floor-plans");
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
  await page.goto("/?lang=en");
  await page.goto("/floor-plans");
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
});
