import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";
import { test } from "./support/site.ts";

async function violationsOf(page: Page) {
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
}

test("the home page has no violations, idle or with errors", async ({ registration, texts }) => {
  expect(await violationsOf(registration.page)).toEqual([]);
  await registration.submit();
  await expect(registration.toast).toContainText(texts.registration.toast.invalid);
  expect(await violationsOf(registration.page)).toEqual([]);
});

test("the not-found page has no violations", async ({ page, language, problems }) => {
  problems.expect(/status of 404/, /404: no page at/);
  await page.goto(`/nowhere?lang=${language}`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect(await violationsOf(page)).toEqual([]);
});

for (const width of [320, 390, 768, 1440]) {
  test(`nothing sticks out sideways at ${width}`, async ({ registration }) => {
    const { page } = registration;
    await page.setViewportSize({ width, height: 800 });
    await registration.submit();
    await expect(registration.toast).toBeVisible();
    const overflow = () => document.documentElement.scrollWidth - window.innerWidth;
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
  });
}
