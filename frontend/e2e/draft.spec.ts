import { expect } from "@playwright/test";
import { hydrated } from "./support/hydrated.ts";
import { entry } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

test("a reload keeps typed text, but neither consent nor the sum", async ({
  registration,
  language,
}) => {
  const { page } = registration;
  const values = entry({ interests: ["brochure", "showflat"] });
  await registration.fill(values);
  const { visit } = registration.texts.registration;
  const times = page.getByRole("group", { name: visit.legend });
  const time = `${visit.day.weekday} ${visit.hour.morning}`;
  await times.getByText(time).click();
  await page.reload();
  await hydrated(page);
  await registration.expectValues(values);
  await expect(times.getByLabel(time)).toBeChecked();
  await expect(page.locator("#interest-purchase")).not.toBeChecked();
  await expect(registration.field("antiSpam")).toHaveValue("");
  await expect(page.locator("#privacyAccepted")).not.toBeChecked();

  // The form is far below the first screen.
  const back = page.getByRole("button", { name: registration.texts.hero.continue });
  await page.evaluate(() => window.scrollTo(0, 0));
  await expect(back).toBeInViewport({ ratio: 1 });
  await back.click();
  await expect(registration.field("name")).toBeInViewport();
  await page
    .locator("form")
    .getByRole("button", { name: registration.texts.registration.startAgain })
    .click();
  await expect(back).toHaveCount(0);
  await registration.expectEmpty();

  const elsewhere = await page.context().newPage();
  await elsewhere.goto(`/?lang=${language}`);
  await expect(elsewhere.locator("form button[type=submit]")).toBeEnabled();
  await expect(elsewhere.locator("#name")).toHaveValue("");
});

test("a lead without a response keeps its key until it is accepted", async ({
  registration,
  problems,
}) => {
  problems.expect(/ERR_FAILED|registration not sent/);
  const { page } = registration;
  const values = entry();
  await page.route("**/functions/v1/send-contact-email", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await registration.fill(values);
  await registration.submit();
  await expect(registration.toast).toContainText(registration.texts.toast.failed, {
    timeout: 20_000,
  });
  await page.unroute("**/functions/v1/send-contact-email");
  await page.reload();
  await hydrated(page);
  await registration.field("antiSpam").fill("7");
  await page.locator("#privacyAccepted").check();
  await registration.submit();
  await registration.expectAccepted();
  expect(new Set(registration.keys()).size).toBe(1);
  await page.reload();
  await hydrated(page);
  await registration.expectEmpty();
});
