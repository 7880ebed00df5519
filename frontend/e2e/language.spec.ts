import { expect } from "@playwright/test";
import { languageNames, languageTags, otherLanguage } from "#shared/i18n/language.ts";
import { messages } from "#site/i18n/all-languages.ts";
import { entry } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

test("the toggle switches in place, and keeps errors, typed text, consent and the sum", {
  tag: "@zh",
}, async ({ registration, language, texts, context }) => {
  const { page } = registration;
  const other = otherLanguage(language);
  const values = entry({ mobile: "123" });
  await registration.fill(values);
  await registration.submit();
  await expect(registration.error("mobile")).toHaveText(texts.registration.error.mobile_too_short);

  await page.getByRole("banner").getByRole("button", { name: languageNames[other] }).click();
  registration.texts = messages[other];
  await expect(registration.error("mobile")).toHaveText(
    messages[other].registration.error.mobile_too_short,
  );
  await expect(registration.submitButton).toHaveText(messages[other].registration.submit);
  await registration.expectValues(values);
  await expect(registration.field("antiSpam")).toHaveValue("7");
  await expect(page.locator("#privacyAccepted")).toBeChecked();
  await expect(page.locator("html")).toHaveAttribute("lang", languageTags[other]);
  await expect(page).toHaveTitle(messages[other].head.home.title);
  expect(new URL(page.url()).searchParams.get("lang")).toBe(other);
  const cookie = (await context.cookies()).find(({ name }) => name === "lang");
  expect(cookie?.value).toBe(other);
  await registration.field("mobile").fill("+65 9123 4567");
  await registration.submit();
  await registration.expectAccepted();

  await page.goto("/");
  await expect(page.locator("html")).toHaveAttribute("lang", languageTags[other]);
});

test("the document has the requested language", { tag: "@zh" }, async ({
  request,
  language,
  texts,
}) => {
  const answer = await request.get(`/?lang=${language}`);
  const html = await answer.text();
  expect(answer.status()).toBe(200);
  expect(html).toContain(`<html lang="${languageTags[language]}">`);
  expect(html).toContain(texts.contact.heading);
});
