import { expect } from "@playwright/test";
import { test } from "./support/site.ts";

const NEW_YEARS_EVE_IN_LONDON = new Date("2026-12-31T18:30:00Z");

for (const { timezoneId, iso, en, zh } of [
  { timezoneId: "Europe/London", iso: "2026-12-31", en: "31 Dec 2026", zh: "2026年12月31日" },
  { timezoneId: "Asia/Singapore", iso: "2027-01-01", en: "1 Jan 2027", zh: "2027年1月1日" },
]) {
  test.describe(`in ${timezoneId}`, () => {
    test.use({ timezoneId });

    test("the date is today's in the visitor's time zone", async ({ page, language, visit }) => {
      await page.clock.install({ time: NEW_YEARS_EVE_IN_LONDON });
      await page.addInitScript(() => {
        const shifts: number[] = [];
        Object.assign(window, { shifts });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            shifts.push((entry as unknown as { value: number }).value);
          }
        }).observe({ type: "layout-shift", buffered: true });
      });
      await visit("/");
      const date = page.locator("#blog time");
      await expect(date).toHaveText({ en, zh }[language]);
      await expect(date).toHaveAttribute("datetime", iso);
      expect(await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts)).toEqual(
        [],
      );
    });
  });
}

test("the card has title and text before any script runs", async ({ request, language, texts }) => {
  const html = await (await request.get(`/?lang=${language}`)).text();
  expect(html).toContain(texts.update.heading);
  expect(html).toContain(texts.update.link);
});
