import { expect } from "@playwright/test";
import { languageTags } from "#shared/i18n/language.ts";
import { violationsOf } from "./support/axe.ts";
import { test } from "./support/site.ts";

test("an unknown path returns 404 with a page that logs the path and links to the site", async ({
  page,
  language,
  texts,
  problems,
}) => {
  problems.expect(/status of 404/, /404: no page at/);
  const answer = await page.goto(`/no/such/page?lang=${language}`);
  expect(answer?.status()).toBe(404);
  await expect(page.locator("html")).toHaveAttribute("lang", languageTags[language]);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("404");
  await expect(page.getByText(texts.notFound.text)).toBeVisible();
  await expect(page.locator("meta[name=robots]")).toHaveAttribute("content", "noindex");
  await expect.poll(() => problems.all()).toContain("error: 404: no page at /no/such/page");
  expect(await violationsOf(page)).toEqual([]);

  await page.getByRole("button", { name: texts.bar.register }).click();
  await expect(page.getByRole("heading", { name: texts.contact.heading })).toBeInViewport();
  await page.goBack();
  await page.getByRole("link", { name: texts.notFound.home }).click();
  await expect(page.getByRole("heading", { name: texts.contact.heading })).toBeVisible();
  await expect(page).toHaveTitle(texts.head.home.title);
});
