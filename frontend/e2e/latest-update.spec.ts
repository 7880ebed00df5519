import { expect } from "@playwright/test";
import { hydrated } from "./support/hydrated.ts";
import { test } from "./support/site.ts";

const NEW_YEARS_EVE_IN_LONDON = new Date("2026-12-31T18:30:00Z");

/** The day in each zone, and the day after the next midnight. */
const days = [
  {
    timezoneId: "Europe/London",
    tag: [],
    iso: ["2026-12-31", "2027-01-01"],
    en: ["31 Dec 2026", "1 Jan 2027"],
    zh: ["2026年12月31日", "2027年1月1日"],
  },
  {
    timezoneId: "Asia/Singapore",
    tag: "@zh",
    iso: ["2027-01-01", "2027-01-02"],
    en: ["1 Jan 2027", "2 Jan 2027"],
    zh: ["2027年1月1日", "2027年1月2日"],
  },
];

for (const { timezoneId, tag, iso, en, zh } of days) {
  test.describe(`in ${timezoneId}`, () => {
    test.use({ timezoneId });

    test("the date is today's in the visitor's time zone", { tag }, async ({
      page,
      language,
      visit,
    }) => {
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
      const words = { en, zh }[language];
      await expect(date).toHaveText(words[0] ?? "");
      await expect(date).toHaveAttribute("datetime", iso[0] ?? "");
      expect(await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts)).toEqual(
        [],
      );
      await hydrated(page);
      await page.clock.fastForward("24:00:00");
      await expect(date).toHaveText(words[1] ?? "");
      await expect(date).toHaveAttribute("datetime", iso[1] ?? "");
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 844 });
        await expect(date).toBeVisible();
      }
    });
  });
}

test("the card has title and text before any script runs", async ({ request, language, texts }) => {
  const html = await (await request.get(`/?lang=${language}`)).text();
  expect(html).toContain(texts.update.heading);
  expect(html).toContain(texts.update.link);
});
