import { randomUUID } from "node:crypto";
import { type Browser, expect, type Page } from "@playwright/test";
import { deskTexts } from "#pages/desk/texts.ts";
import { violationsOf } from "./support/axe.ts";
import { mailsTo } from "./support/mailbox.ts";
import { setting } from "./support/settings.ts";
import { test } from "./support/site.ts";

const PHONE = { width: 390, height: 844 };
/** As `deploy/notifier/routes.toml` names them. */
const MEI = { name: "Mei Tan", address: "sales@zyongrand.example" };
const DANIEL = { name: "Daniel Koh", address: "daniel@zyongrand.example" };

/** Registers an interest as the form does. */
async function register(language: string): Promise<{ reference: string; name: string }> {
  const post = async (path: string, headers: Record<string, string>, body: unknown) => {
    const answer = await fetch(new URL(path, setting("SITE_URL")), {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const { access_token } = await post("/auth/v1/session", {}, {});
  const number = randomUUID();
  const name = `${language === "zh" ? "陈" : "Visitor"} ${number.slice(0, 8)}`;
  const { reference = "" } = await post(
    "/functions/v1/send-contact-email",
    {
      apikey: "zg-anon-local",
      Authorization: `Bearer ${access_token}`,
      "Content-Language": language,
    },
    {
      interests: ["showflat"],
      name,
      mobile: "9123 4567",
      email: `${number}@example.com`,
      questions: "Which units face south?",
    },
  );
  return { reference, name };
}

/** The link in the newest of so many mails to an address about a lead, once they are there. */
async function linkIn(address: string, reference: string, mails: number): Promise<string> {
  await expect
    .poll(async () => (await mailsTo(address, reference)).length, { timeout: 30_000 })
    .toBe(mails);
  // maildev lists the oldest first.
  const html = (await mailsTo(address, reference)).at(-1)?.html ?? "";
  const [, link] = /href="([^"]*\/desk#[^"]+)"/.exec(html) ?? [];
  if (link === undefined) {
    throw new Error("the mail links to no desk");
  }
  return link;
}

/** A tap on the link, in the mail as it is shown. */
async function tap(page: Page, link: string, language: string): Promise<void> {
  await page.goto(link.replace("/desk#", `/desk?lang=${language}#`));
}

async function phone(browser: Browser): Promise<Page> {
  return await (await browser.newContext({ viewport: PHONE, hasTouch: true })).newPage();
}

test("from the mail on a phone: called, given to a colleague, who fixes a visit", async ({
  browser,
  language,
}) => {
  const texts = deskTexts[language];
  const { reference, name } = await register(language);
  const first = await linkIn(MEI.address, reference, 1);
  const mei = await phone(browser);
  await tap(mei, first, language);
  await expect(mei.getByRole("heading", { level: 1 })).toHaveText(name);
  expect(mei.url()).not.toContain(new URL(first).hash);
  await expect(mei.getByRole("link", { name: `${texts.call} 9123 4567` })).toHaveAttribute(
    "href",
    "tel:+6591234567",
  );
  // A reply to this mail quotes its link to the visitor: it shows the lead, and signs nobody in.
  await expect(mei.getByRole("heading", { name: texts.notSignedIn(MEI.name) })).toBeVisible();
  await expect(mei.getByText(texts.whatHappened, { exact: true })).toBeHidden();
  expect(await violationsOf(mei)).toEqual([]);
  await mei.getByRole("button", { name: texts.mailTo(MEI.name) }).click();
  await expect(mei.getByText(texts.mailed)).toBeVisible();

  await tap(mei, await linkIn(MEI.address, reference, 2), language);
  await mei.getByRole("button", { name: texts.called, exact: true }).click();
  await expect(mei.getByText(texts.saved)).toBeVisible();
  await expect(mei.locator(".desk-standing")).toContainText(texts.states.contacted);
  await mei.getByRole("button", { name: texts.note, exact: true }).click();
  await mei.getByLabel(texts.noteText).fill("Wants two bedrooms.\nSpeaks Mandarin.");
  await mei.getByRole("button", { name: texts.save }).click();
  await expect(mei.locator(".desk-history li").first()).toContainText("Wants two bedrooms.");
  await mei.getByRole("button", { name: texts.give }).click();
  await mei.getByLabel(texts.colleague).selectOption(DANIEL.name);
  expect(await violationsOf(mei)).toEqual([]);
  await mei.getByRole("button", { name: texts.save }).click();
  await expect(mei.locator(".desk-standing")).toContainText(texts.whoseIs(DANIEL.name));

  const daniel = await phone(browser);
  await tap(daniel, await linkIn(DANIEL.address, reference, 1), language);
  await daniel.getByRole("button", { name: texts.visit, exact: true }).click();
  await daniel.getByLabel(texts.when).fill("2030-06-01T15:00");
  await daniel.getByRole("button", { name: texts.save }).click();
  await expect(daniel.locator(".desk-standing")).toContainText(texts.states.visiting);
  await expect(daniel.locator(".desk-history li").first()).toContainText(DANIEL.name);

  await daniel.getByRole("link", { name: texts.list }).click();
  await daniel.getByRole("button", { name: texts.mine }).click();
  const row = daniel.getByRole("link", { name });
  await expect(row).toContainText(texts.states.visiting);
  expect(await violationsOf(daniel)).toEqual([]);
  await daniel.getByLabel(texts.search).fill(reference);
  await expect(daniel.getByRole("heading", { name: texts.found })).toBeVisible();
  await row.click();
  await expect(daniel.getByRole("heading", { level: 1 })).toHaveText(name);
  await daniel.getByRole("button", { name: texts.signOut }).click();
  await expect(daniel.getByRole("heading", { name: texts.signedOut })).toBeVisible();
  await mei.context().close();
  await daniel.context().close();
});

test("the link of a personal mail signs in one browser, and no other", async ({
  browser,
  language,
}) => {
  const texts = deskTexts[language];
  const { reference } = await register(language);
  const [one, other] = [await phone(browser), await phone(browser)];
  await tap(one, await linkIn(MEI.address, reference, 1), language);
  await one.getByRole("button", { name: texts.mailTo(MEI.name) }).click();
  const personal = await linkIn(MEI.address, reference, 2);
  await tap(one, personal, language);
  await expect(one.getByText(texts.whatHappened)).toBeVisible();
  await tap(other, personal, language);
  await expect(other.getByRole("heading", { name: texts.notSignedIn(MEI.name) })).toBeVisible();
  await other.goto(`/desk?lang=${language}`);
  await expect(other.getByRole("heading", { name: texts.signedOut })).toBeVisible();
  await other.goto(`/desk?lang=${language}#forged.key`);
  await expect(other.getByText(texts.errors.invalid_link)).toBeVisible();
  await one.context().close();
  await other.context().close();
});

test("what was written stays when it cannot be saved, and nothing sticks out sideways", async ({
  browser,
  language,
}) => {
  const texts = deskTexts[language];
  const { reference } = await register(language);
  const page = await phone(browser);
  await tap(page, await linkIn(MEI.address, reference, 1), language);
  await page.getByRole("button", { name: texts.mailTo(MEI.name) }).click();
  await tap(page, await linkIn(MEI.address, reference, 2), language);
  await page.getByRole("button", { name: texts.close, exact: true }).click();
  await page.getByLabel(texts.reasons.bought, { exact: true }).check();
  await page.getByLabel(texts.optionalNote).fill("Unit 12-04");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: texts.save }).click();
  await expect(page.getByText(texts.errors.unreachable)).toBeVisible();
  await expect(page.getByLabel(texts.optionalNote)).toHaveValue("Unit 12-04");
  for (const width of [320, 390, 768, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    const over = () => document.documentElement.scrollWidth - window.innerWidth;
    expect(await page.evaluate(over), `at ${width}`).toBeLessThanOrEqual(0);
  }
  expect(await violationsOf(page)).toEqual([]);
  await page.context().setOffline(false);
  await page.getByRole("button", { name: texts.save }).click();
  await expect(page.locator(".desk-standing")).toContainText(texts.reasons.bought);
  await page.context().close();
});
