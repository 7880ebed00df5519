import { randomInt } from "node:crypto";
import { expect } from "@playwright/test";
import { withdrawalTexts } from "#site/pages/withdrawal-texts.ts";
import { violationsOf } from "./support/axe.ts";
import { leadctl } from "./support/leads.ts";
import { type Email, emailsTo, salesEmailAbout } from "./support/mailbox.ts";
import { expectNoOverflow } from "./support/overflow.ts";
import { entry } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

const sales = "mei@zyongrand.example";

/** The withdrawal link in an email to a visitor, on the origin of the tested site. */
function linkIn(email: Email, site: string): string {
  const link = /https?:\S+\/withdraw\?token=\S+/.exec(email.text ?? "")?.[0] ?? "";
  const { pathname, search } = new URL(link);
  return new URL(pathname + search, site).href;
}

test("the link in an email requests erasure and notifies sales", { tag: "@zh" }, async ({
  registration,
  language,
}) => {
  const { page } = registration;
  const texts = withdrawalTexts[language];
  // No other test uses this number, because the request suppresses it too.
  const lead = entry({ mobile: `+65 8${String(randomInt(10_000_000)).padStart(7, "0")}` });
  await registration.fill(lead);
  await registration.submit();
  const reference = await registration.expectAccepted();
  await salesEmailAbout(reference);
  const toVisitor = async () => (await emailsTo(lead.email, reference))[0];
  await expect.poll(toVisitor, { timeout: 30_000 }).toBeDefined();
  const email = (await toVisitor()) as Email;
  expect(email.headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");

  // Opening the link changes nothing, because a scanner may open it.
  await page.goto(linkIn(email, page.url()));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.heading);
  expect(await violationsOf(page)).toEqual([]);
  await expectNoOverflow(page, [320, 1440, 390]);
  expect(await leadctl("show", reference)).not.toContain("do_not_contact_at");

  await page.getByRole("button", { name: texts.erase, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.doneHeading);
  await expect(page.getByText(texts.erasure)).toBeVisible();
  await expectNoOverflow(page);
  const notices = async () =>
    (await emailsTo(sales, reference)).map(({ subject }) => subject.split(":")[0]);
  await expect
    .poll(async () => (await notices()).slice(1), { timeout: 30_000 })
    .toEqual(["Erasure requested"]);
  const shown = await leadctl("show", reference);
  expect(shown).toContain("contact_changed: allowed false; client visitor");
  expect(shown).toContain("erasure_requested");
});

test("a truncated link shows an error", async ({ page, language, problems }) => {
  problems.expect(/status of 401/);
  const texts = withdrawalTexts[language];
  await page.goto(`/withdraw?lang=${language}`);
  await expect(page.getByText(texts.incomplete)).toBeVisible();
  await page.goto(`/withdraw?token=eyJ&lang=${language}`);
  await page.getByRole("button", { name: texts.withdraw, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.failedHeading);
  await expect(page.getByText(texts.incomplete)).toBeVisible();
});
