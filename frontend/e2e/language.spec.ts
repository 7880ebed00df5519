import { expect } from "@playwright/test";
import { messages } from "#i18n/all-languages.ts";
import { languageNames, languageTags, otherLanguage } from "#i18n/language.ts";
import { test } from "./support/site.ts";

test("the toggle switches in place, and keeps typed text and errors", async ({
  registration,
  language,
  texts,
  context,
}) => {
  const { page } = registration;
  const other = otherLanguage(language);
  await registration.field("mobile").fill("123");
  await registration.submit();
  await expect(registration.error("mobile")).toHaveText(texts.registration.error.mobile_too_short);

  await page.getByRole("banner").getByRole("button", { name: languageNames[other] }).click();
  registration.texts = messages[other];
  await expect(registration.error("mobile")).toHaveText(
    messages[other].registration.error.mobile_too_short,
  );
  await expect(registration.field("mobile")).toHaveValue("123");
  await expect(page.locator("html")).toHaveAttribute("lang", languageTags[other]);
  await expect(page).toHaveTitle(messages[other].head.home.title);
  expect(new URL(page.url()).searchParams.get("lang")).toBe(other);
  const cookie = (await context.cookies()).find(({ name }) => name === "lang");
  expect(cookie?.value).toBe(other);

  await page.goto("/");
  await expect(page.locator("html")).toHaveAttribute("lang", languageTags[other]);
});

test("the document has the requested language", async ({ request, language, texts }) => {
  const answer = await request.get(`/?lang=${language}`);
  const html = await answer.text();
  expect(answer.status()).toBe(200);
  expect(html).toContain(`<html lang="${languageTags[language]}">`);
  expect(html).toContain(texts.contact.heading);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the toggle links to the document in the other language", async ({ page, language }) => {
    const other = otherLanguage(language);
    await page.goto(`/?lang=${language}`);
    await page.getByRole("banner").getByRole("button", { name: languageNames[other] }).click();
    await expect(page.locator("html")).toHaveAttribute("lang", languageTags[other]);
    await expect(
      page.getByRole("heading", { name: messages[other].contact.heading }),
    ).toBeVisible();
  });
});
