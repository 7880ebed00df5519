import { expect } from "@playwright/test";
import { test } from "./support/site.ts";

test.use({ locale: "zh-CN" });

test("pages are in English until the visitor chooses a language", async ({ page }) => {
  for (const path of ["/", "/?lang=fr", "/floor-plans", "/floor-plans?lang="]) {
    await page.goto(path);
    await expect(page.locator("html"), path).toHaveAttribute("lang", "en");
    const toggle = page.getByRole("banner").getByRole("button", { name: "中文" });
    await expect(toggle).toBeVisible();
  }
  for (const [language, tag] of [
    ["zh", "zh-Hans"],
    ["en", "en"],
  ] as const) {
    await page.goto(`/?lang=${language}`);
    await page.goto("/floor-plans");
    await expect(page.locator("html")).toHaveAttribute("lang", tag);
  }
});
