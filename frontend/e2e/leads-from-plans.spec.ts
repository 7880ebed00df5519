import { expect } from "@playwright/test";
import { violationsOf } from "./support/axe.ts";
import { hydrated } from "./support/hydrated.ts";
import { deliveredLeadOf } from "./support/leads.ts";
import { entry, RegistrationPage } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

test.use({ viewport: { width: 390, height: 844 } });

test("the lead contains the plan and visit times that the visitor chooses", async ({
  page,
  visit,
  texts,
}) => {
  await visit("/floor-plans");
  // Register stays visible along the plans.
  const register = page.getByRole("button", { name: texts.visit.button }).filter({ visible: true });
  await expect(register).toBeInViewport();
  await page.locator("#D1").scrollIntoViewIfNeeded();
  await expect(register).toBeInViewport();

  await page.locator("#C1").getByText(texts.plans.ask).click();
  const name = texts.unit.C1.heading.replaceAll("\u00a0", " ");
  const form = new RegistrationPage(page, texts);
  await expect(form.plan).toHaveText(name);
  await expect(page.locator("#interest-purchase")).toBeChecked();
  await expect(page.getByRole("form")).toBeInViewport();
  expect(new URL(page.url()).searchParams.has("ask")).toBe(false);
  const lead = entry({ interests: ["showflat"], questions: "12/F?" });
  await form.fill(lead);
  const { visit: times } = texts.registration;
  await page
    .getByRole("group", { name: times.legend })
    .getByText(`${times.day.weekend} ${times.hour.morning}`)
    .click();
  expect(await violationsOf(page)).toEqual([]);
  await form.submit();
  await form.expectAccepted();
  await expect(form.plan).toHaveCount(0);
  expect(await violationsOf(page)).toEqual([]);
  expect(await deliveredLeadOf(lead.email)).toMatchObject({
    interests: ["purchase", "showflat"],
    questions: "12/F?",
    plan: "C1",
    visit_times: ["weekend-mornings"],
  });
});

test("a shared address opens its plan, which links to the form", async ({
  page,
  language,
  texts,
}) => {
  await page.goto(`/floor-plans?plan=B2&lang=${language}`);
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading")).toHaveText(texts.unit.B2.heading);
  expect(await violationsOf(page, "dialog")).toEqual([]);
  await dialog.getByText(texts.plans.ask).click();
  await expect(dialog).toHaveCount(0);
  await expect(new RegistrationPage(page, texts).plan).toContainText("B2");
});

test("plans are filtered and compared on one page", async ({ page, visit, texts }) => {
  await visit("/floor-plans");
  const filter = page.getByRole("navigation", { name: texts.plans.table.filter });
  await filter.getByRole("link").nth(5).click();
  await expect(page.getByRole("article")).toHaveCount(3);
  await expect(page).toHaveURL(/bedrooms=5/);
  await page.reload();
  await expect(page.getByRole("article")).toHaveCount(3);
  await hydrated(page);
  const tray = page.locator(".compare-tray");
  await page.locator("#PH1").getByText(texts.plans.compare.add).click();
  await expect(tray).toContainText(texts.plans.compare.another);
  await page.locator("#PH3").getByText(texts.plans.compare.add).click();
  await tray.getByRole("link", { name: texts.plans.compare.add }).click();
  await expect(page.getByLabel(texts.plans.compare.first)).toBeInViewport();
  await page.getByLabel(texts.plans.compare.first).selectOption("A1");
  await expect(page.locator(".compare-difference")).toContainText("2,347");
  const drawings = page.locator(".compare-pair img");
  await expect(drawings).toHaveCount(2);
  await filter.getByRole("link").nth(2).click();
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(drawings).toHaveCount(2);
  const widths = await drawings.evaluateAll((images) =>
    images.map((image) => image.getBoundingClientRect().width),
  );
  // The drawings are 7.46 m and 24.56 m wide.
  expect((widths[0] ?? 0) / (widths[1] ?? 1)).toBeCloseTo(7.46 / 24.56, 2);
  await page.getByRole("contentinfo").scrollIntoViewIfNeeded();
  expect(await violationsOf(page)).toEqual([]);
});
