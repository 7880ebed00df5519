import { expect } from "@playwright/test";
import { test } from "../support/site.ts";

test.use({ locale: "zh-CN" });

for (const path of ["/", "/?lang=fr", "/floor-plans", "/floor-plans?lang="]) {
  test(`${path} is English for whoever has not chosen`, async ({ page }) => {
    await page.goto(path);
    await expect(page.locator("html")).toHaveAttribute("lang", "en");
    const toggle = page.getByRole("banner").getByRole("button", { name: "中文" });
    await expect(toggle).toBeVisible();
  });
}

test("a choice holds until the next one, on every page", async ({ page }) => {
  await page.goto("/?lang=zh");
  await page.goto("/floor-plans");
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
  await page.goto("/?lang=en");
  await page.goto("/floor-plans");
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
});
