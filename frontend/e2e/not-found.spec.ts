import { expect } from "@playwright/test";
import { languageTags } from "#shared/i18n/language.ts";
import { violationsOf } from "./support/axe.ts";
import { expectNoOverflow } from "./support/overflow.ts";
import { test } from "./support/site.ts";

test("an unknown path returns 404 with a page that logs the path and links to the site", {
  tag: "@zh",
}, async ({ page, language, texts, problems }) => {
  problems.expect(/status of 404/, /404: no page at/);
  const answer = await page.goto(`/no/such/page?lang=${language}`);
  expect(answer?.status()).toBe(404);
  await expect(page.locator("html")).toHaveAttribute("lang", languageTags[language]);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("404");
  await expect(page.getByText(texts.notFound.text)).toBeVisible();
  await expect(page.getByRole("link", { name: texts.notFound.home })).toBeInViewport();
  await expect(page.locator("meta[name=robots]")).toHaveAttribute("content", "noindex");
  await expect.poll(() => problems.all()).toContain("error: 404: no page at /no/such/page");
  expect(await violationsOf(page)).toEqual([]);

  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByRole("heading", { level: 1 })).toBeInViewport();
  await expect(page.getByText(texts.notFound.text)).toBeInViewport();
  await expectNoOverflow(page);
  await page.locator("header summary").click();
  await page.getByRole("button", { name: texts.bar.register }).filter({ visible: true }).click();
  await expect(page.getByRole("heading", { name: texts.contact.heading })).toBeInViewport();
  await page.goBack();
  await page.getByRole("link", { name: texts.notFound.home }).click();
  await expect(page.getByRole("heading", { name: texts.contact.heading })).toBeVisible();
  await expect(page).toHaveTitle(texts.head.home.title);
  const search = { en: "", zh: "?lang=zh" }[language];
  await expect(page).toHaveURL((url) => url.pathname === "/" && url.search === search);
  await expect(page.locator("html")).toHaveAttribute("lang", languageTags[language]);
});
