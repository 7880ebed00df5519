import { expect } from "@playwright/test";
import { deliveredLeadOf, leadsOf } from "./support/leads.ts";
import { salesEmailAbout } from "./support/mailbox.ts";
import { entry, RegistrationPage } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

test.use({ javaScriptEnabled: false });

test("the form posts, and the response shows the lead's reference", async ({
  page,
  language,
  texts,
}) => {
  const form = new RegistrationPage(page, texts);
  const lead = entry();
  await page.goto(`/?lang=${language}#contact-form`);
  await form.fill(lead);
  await form.field("antiSpam").fill("７ ");
  await form.submit();
  await expect(page).toHaveURL(/\/registered\?reference=ZG-/);
  await expect(page.getByText(texts.toast.accepted)).toBeVisible();
  const reference = (await page.getByText(/^ZG-[0-9A-Z]{4}-[0-9A-Z]{2}$/).textContent()) ?? "";
  expect(await deliveredLeadOf(lead.email)).toMatchObject({ ...lead, reference, language });
  expect((await salesEmailAbout(reference)).text).toContain(lead.questions);
});

test("the response lists the errors, and Back restores the typed text", async ({
  page,
  language,
  texts,
}) => {
  const form = new RegistrationPage(page, texts);
  const lead = entry({ mobile: "123" });
  await page.goto(`/?lang=${language}#contact-form`);
  await form.fill(lead);
  await form.field("antiSpam").fill("8");
  await form.submit();
  await expect(page).toHaveURL(/\/not-registered\?/);
  await expect(page.getByRole("main").getByRole("listitem").filter({ visible: true })).toHaveText([
    texts.registration.error.mobile_too_short,
    texts.registration.error.anti_spam_wrong,
  ]);
  expect(await leadsOf(lead.email)).toEqual([]);
  await page.goBack();
  await form.expectValues(lead);
});

test("links filter the plans", async ({ page, language, texts }) => {
  await page.goto(`/floor-plans?lang=${language}`);
  await page
    .getByRole("navigation", { name: texts.plans.table.filter })
    .getByRole("link")
    .nth(3)
    .click();
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(page.getByRole("row")).toHaveCount(3);
});

test("the visitor can choose the level of the views", async ({ page, language, texts }) => {
  await page.goto(`/?lang=${language}`);
  const shown = page.locator(".views figure").filter({ visible: true });
  await expect(shown.first()).toContainText("40");
  await page.getByRole("group", { name: texts.benefits.level }).getByLabel("10").check();
  await expect(shown).toHaveCount(2);
  await expect(shown.first()).toContainText("10");
});
