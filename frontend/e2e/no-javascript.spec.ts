import { expect } from "@playwright/test";
import { languageNames, languages, languageTags, otherLanguage } from "#shared/i18n/language.ts";
import versions from "#site/content/privacy/versions.json" with { type: "json" };
import { messages } from "#site/i18n/all-languages.ts";
import { postedTexts } from "#site/pages/posted-texts.ts";
import { deliveredLeadOf, leadsOf } from "./support/leads.ts";
import { salesEmailAbout } from "./support/mailbox.ts";
import { expectNoOverflow } from "./support/overflow.ts";
import { entry, RegistrationPage } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

test.use({ javaScriptEnabled: false });

const widths = [320, 1440, 390];

test("the form posts, and the response shows the lead's reference", async ({
  page,
  language,
  texts,
}) => {
  const form = new RegistrationPage(page, texts);
  const lead = entry();
  await page.goto(`/?lang=${language}&ask=C2N#contact-form`);
  await form.fill(lead);
  const { day, hour } = texts.registration.visit;
  await page.getByText(`${day.weekend} ${hour.morning}`, { exact: true }).click();
  await page.locator(".homes .chip").nth(2).click();
  await form.field("antiSpam").fill("７ ");
  await page.getByText(texts.privacy.boxes.phone, { exact: true }).click();
  await expect(page.getByText(texts.privacy.boxes.email, { exact: true })).toBeHidden();
  await form.submit();
  await expect(page).toHaveURL(/\/registered\?reference=ZG-/);
  await expect(page.getByText(texts.toast.accepted)).toBeVisible();
  const reference = (await page.getByText(/^ZG-[0-9A-Z]{4}-[0-9A-Z]{2}$/).textContent()) ?? "";
  expect(await deliveredLeadOf(lead.email)).toMatchObject({
    ...lead,
    reference,
    language,
    channels: ["phone"],
    // The form of this page shows neither the plan of the address nor, after a choice, the times.
    plan: "C2N",
    visit_times: ["weekend-mornings"],
    home_preferences: ["3-bedroom"],
  });
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
  await expect(form.field("antiSpam")).toHaveValue("8");
  await expect(page.locator("#privacyAccepted")).toBeChecked();
});

test("links filter the plans, open a drawing, and lead to sections in either language", async ({
  page,
  language,
  texts,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`/floor-plans?lang=${language}`);
  await page
    .getByRole("navigation", { name: texts.plans.table.filter })
    .getByRole("link")
    .nth(3)
    .click();
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(page.getByRole("row")).toHaveCount(3);

  await page.locator("#C2N .plan-picture").click();
  await expect(page).toHaveURL(new RegExp(`/assets/c2n-large-${language}-.+\\.svg$`));
  await page.goBack();

  await page
    .getByRole("navigation", { name: texts.bar.main })
    .getByRole("link", { name: texts.nav.region })
    .click();
  await expect(page).toHaveURL((url) => url.pathname === "/" && url.hash === "#central-region");
  await expect(page.getByRole("heading", { name: texts.location.heading })).toBeInViewport();

  const other = otherLanguage(language);
  await page.getByRole("banner").getByRole("button", { name: languageNames[other] }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", languageTags[other]);
  await expect(page.getByRole("heading", { name: messages[other].contact.heading })).toBeVisible();
});

test("the visitor can choose the level of the views", async ({ page, language, texts }) => {
  await page.goto(`/?lang=${language}`);
  const shown = page.locator(".views figure").filter({ visible: true });
  await expect(shown.first()).toContainText("40");
  await page.getByRole("group", { name: texts.benefits.level }).getByLabel("10").check();
  await expect(shown).toHaveCount(2);
  await expect(shown.first()).toContainText("10");
});

test("no control is shown that needs script", async ({ page, language }) => {
  await page.goto(`/floor-plans?lang=${language}`);
  await expect(page.locator("button").filter({ visible: true })).toHaveCount(0);
  await expect(page.locator("select").filter({ visible: true })).toHaveCount(0);
});

test("pages after the form keep what they show in the other language", async ({ page }) => {
  await page.goto("/registered?reference=ZG-7F3K-2Q&lang=en");
  await page.getByRole("banner").getByRole("button", { name: "中文" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
  await expect(page.getByText("ZG-7F3K-2Q")).toBeVisible();
  await expectNoOverflow(page, widths);
  await page.goto("/not-registered?errors=name_required,anti_spam_wrong&lang=zh");
  await page.getByRole("banner").getByRole("button", { name: "English" }).click();
  await expect(page.getByRole("main").getByRole("listitem").filter({ visible: true })).toHaveText([
    messages.en.registration.error.name_required,
    messages.en.registration.error.anti_spam_wrong,
  ]);
  await expect(page.getByText(postedTexts.en.back)).toBeVisible();
  await expectNoOverflow(page, widths);
});

test("each version of the privacy policy is a page in both languages", async ({ page }) => {
  for (const { version } of versions) {
    expect((await page.request.get(`/privacy/${version}`)).status(), version).toBe(200);
  }
  expect((await page.request.get("/privacy/2026-01-32")).status()).toBe(404);
  const version = versions.at(-1)?.version ?? "";
  await page.goto(`/privacy/${version}?lang=en`);
  for (const language of languages) {
    if (language !== "en") {
      await page.getByRole("banner").getByRole("button", { name: languageNames[language] }).click();
    }
    const { heading, withdraw } = messages[language].privacy;
    await expect(page.locator("html")).toHaveAttribute("lang", languageTags[language]);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
    await expect(page.getByRole("link", { name: version })).toBeVisible();
    await expectNoOverflow(page, widths);
    await expect(page.getByText(withdraw, { exact: true })).toBeVisible();
  }
});
