import { expect } from "@playwright/test";
import { hydrated } from "./support/hydrated.ts";
import { entry, LEADS_PATH, RegistrationPage } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

/** Photographs and their scrims, Chinese words without a font of the site, and what depends on the pointer. */
const hidden = `
  picture img:not([src$=".svg"]),
  .hero-picture::before,
  .hero-picture::after,
  .language,
  .plan-download { visibility: hidden }
`;

test("six screens look as in their pictures", async ({ page, visit, texts }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.clock.setFixedTime(new Date("2026-11-30T12:00:00Z"));
  await page.addInitScript((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
  }, hidden);
  await page.route(LEADS_PATH, (route) =>
    route.fulfill({ status: 202, json: { id: crypto.randomUUID(), reference: "ZG-7F3K-2Q" } }),
  );

  await visit("/");
  await hydrated(page);
  await expect.soft(page).toHaveScreenshot("home-1440.png");
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.soft(page).toHaveScreenshot("home-390.png");

  // The whole form is between the bars.
  await page.setViewportSize({ width: 390, height: 1800 });
  await expect.soft(page.locator(".contact-form")).toHaveScreenshot("form-390.png");
  const registration = new RegistrationPage(page, texts);
  await registration.fill(entry());
  await registration.submit();
  await registration.expectAccepted();
  await expect.soft(registration.note).toHaveScreenshot("thanks-390.png");

  await page.setViewportSize({ width: 1440, height: 1280 });
  await visit("/floor-plans");
  await hydrated(page);
  const firstRow = { x: 0, y: 460, width: 1440, height: 820 };
  await expect.soft(page).toHaveScreenshot("plans-1440.png", { clip: firstRow });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator('[id="A1"] .plan-link').click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expect.soft(page).toHaveScreenshot("viewer-390.png");
});
