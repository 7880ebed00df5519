import { randomUUID } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import type { Language } from "#shared/i18n/language.ts";
import { reportTexts } from "../desk/report/texts.ts";
import { deskTexts } from "../desk/texts.ts";
import { violationsOf } from "./support/axe.ts";
import { DANIEL, expectAccessible, MEI, openLead, register, test } from "./support/desk.ts";

const WIDE = { width: 1440, height: 900 };

/** Registers two leads of a new campaign, and waits until they are stored. */
async function registerCampaign(page: Page, language: Language) {
  const campaign = `e2e-${randomUUID().slice(0, 8)}`;
  const leads = [
    await register(language, undefined, campaign),
    await register(language, undefined, campaign),
  ];
  for (const { reference } of leads) {
    await openLead(page, reference, language);
  }
  const names = leads.map(({ name }) => name);
  return { campaign, names };
}

test("a bar of the report leads to its leads", { tag: "@zh" }, async ({ newPhone, language }) => {
  const texts = deskTexts[language];
  const words = reportTexts[language];
  const page = await newPhone(MEI);
  const { campaign, names } = await registerCampaign(page, language);
  await page.getByRole("link", { name: texts.list, exact: true }).tap();
  await page.getByRole("link", { name: texts.report, exact: true }).tap();
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText(texts.report);
  await expect(page.getByRole("heading", { level: 2 })).toHaveText([
    words.headline.heading,
    words.daily.heading,
    words.sources.heading,
    words.wishes.heading,
    words.outcome.heading,
    words.deliveries.heading,
  ]);
  await page.getByText(words.daily.table).tap();
  await expectAccessible(page);

  const campaigns = page.locator(".report-bars").first();
  const showAll = campaigns.getByRole("button");
  if (await showAll.isVisible()) {
    await showAll.tap();
  }
  const bar = campaigns.getByRole("row").filter({ hasText: campaign });
  await expect(bar.getByRole("cell").first()).toHaveText("2");
  await bar.getByRole("link").tap();
  await expect(heading).toHaveText(texts.list);
  await expect(page.getByRole("status")).toHaveText(texts.foundCount(2, true));
  for (const name of names) {
    await expect(page.getByRole("link", { name })).toBeVisible();
  }
  await expectAccessible(page);
  const chip = texts.filters.chip(texts.filters.campaign, campaign);
  await page.getByRole("link", { name: texts.filters.remove(chip) }).tap();
  await expect(page).not.toHaveURL(new RegExp(campaign));
  await page.goBack();
  await expect(page.getByRole("status")).toHaveText(texts.foundCount(2, true));
  await page.goBack();
  await expect(heading).toHaveText(texts.report);
});

test("the list on a wide screen is a table whose row is one link", async ({
  newPhone,
  language,
}) => {
  const texts = deskTexts[language];
  const page = await newPhone(MEI);
  const { campaign, names } = await registerCampaign(page, language);
  await page.setViewportSize(WIDE);
  await page.goto(`/desk?lang=${language}#/leads?campaign=${campaign}`);
  const table = page.getByRole("table", { name: texts.untouched });
  await expect(table.getByRole("columnheader")).toHaveText(Object.values(texts.columns));
  await expect(table.getByRole("link")).toHaveCount(2);
  for (const forcedColors of ["active", "none"] as const) {
    await page.emulateMedia({ forcedColors });
    expect(await violationsOf(page), forcedColors).toEqual([]);
  }
  // The link of the row covers its cells.
  await table.getByRole("cell", { name: texts.states.new }).first().tap({ force: true });
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    new RegExp(`^(${names.join("|")})$`),
  );
  await page.getByRole("link", { name: texts.list, exact: true }).tap();
  await expect(table.getByRole("link")).toHaveCount(2);
});

test("the report works with a keyboard, in forced colours and on one sheet", async ({
  newPhone,
  language,
}) => {
  const words = reportTexts[language];
  const page = await newPhone(MEI);
  await registerCampaign(page, language);
  await page.setViewportSize(WIDE);
  await page.goto(`/desk?lang=${language}#/report?days=7`);
  const columns = page.locator(".report-columns a");
  await expect(columns).toHaveCount(7);
  await columns.last().focus();
  await page.keyboard.press("ArrowLeft");
  await expect(columns.nth(5)).toBeFocused();
  await page.keyboard.press("End");
  await expect(columns.last()).toBeFocused();
  await expect(columns.last()).toHaveAccessibleName(new RegExp(`${words.daily.unfinished}$`));
  for (const days of [7, 30, 90] as const) {
    await page.getByRole("link", { name: words.days(days), exact: true }).tap();
    await expect(columns).toHaveCount(days);
  }
  await expect(page).toHaveURL(/#\/report\?days=90$/);

  await page.emulateMedia({ forcedColors: "active" });
  expect(await violationsOf(page)).toEqual([]);
  await page.emulateMedia({ forcedColors: "none" });
  const sheets = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
  expect(sheets.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
});

test("the report says what is wrong, and is only for people who may see it", async ({
  newPhone,
  language,
  problems,
}) => {
  problems.expect(/status of (503|403)/);
  const texts = deskTexts[language];
  const mei = await newPhone(MEI);
  await mei.route("**/desk/api/report*", (route) =>
    route.fulfill({ status: 503, json: { error: { code: "unavailable" } } }),
  );
  await mei.goto(`/desk?lang=${language}#/report`);
  await expect(mei.getByRole("alert")).toContainText(texts.errors.unavailable);
  await expectAccessible(mei);
  await mei.unroute("**/desk/api/report*");
  await mei.getByRole("button", { name: texts.retry }).tap();
  await expect(mei.locator(".report-headline")).toBeVisible();

  const daniel = await newPhone(DANIEL);
  await daniel.goto(`/desk?lang=${language}#/leads`);
  await expect(daniel.getByRole("link", { name: texts.newLead })).toBeVisible();
  await expect(daniel.getByRole("link", { name: texts.report, exact: true })).toHaveCount(0);
  await daniel.goto(`/desk?lang=${language}#/report`);
  await expect(daniel.getByRole("alert")).toContainText(texts.errors.forbidden);
});
