import { expect } from "@playwright/test";
import { consentTexts } from "#site/pages/consent-texts.ts";
import { violationsOf } from "./support/axe.ts";
import { leadctl } from "./support/leads.ts";
import { emailsTo } from "./support/mailbox.ts";
import { expectNoOverflow } from "./support/overflow.ts";
import { entry } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

test("a visitor agrees to calls after the form, in the recorded words", { tag: "@zh" }, async ({
  registration,
  language,
}) => {
  const { page } = registration;
  const texts = consentTexts[language];
  const lead = entry({});
  await registration.fill(lead);
  await registration.submit();
  const reference = await registration.expectAccepted();
  const link = page.getByRole("link", { name: texts.heading });
  const address = await link.getAttribute("href");
  await link.click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.heading);
  expect(await violationsOf(page)).toEqual([]);
  await expectNoOverflow(page, [320, 1440, 390]);
  // Opening the page changes nothing, because a scanner may open the link in the email.
  expect(await leadctl("show", reference)).not.toContain("consented");

  const email = async () => (await emailsTo(lead.email, reference))[0]?.text ?? "";
  await expect.poll(email, { timeout: 30_000 }).toContain(String(address).split("&")[0]);

  await page.getByRole("button", { name: texts.phone, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.doneHeading);
  await expect(page.getByText(texts.donePhone)).toBeVisible();
  await expectNoOverflow(page);
  expect(await violationsOf(page)).toEqual([]);
  // leadctl wraps long lines.
  const history = async () => (await leadctl("show", reference)).replace(/\s/g, "");
  await expect
    .poll(history, { timeout: 30_000 })
    .toContain(`wording${texts.phone}`.replace(/\s/g, ""));
});
