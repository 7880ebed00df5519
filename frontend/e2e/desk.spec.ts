import { randomUUID } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { type Language, languageNames, otherLanguage } from "#shared/i18n/language.ts";
import { deskTexts } from "../desk/texts.ts";
import {
  continueAs,
  DANIEL,
  expectAccessible,
  expectLoggedIn,
  lastEntry,
  linkIn,
  MEI,
  openLead,
  openLink,
  register,
  standingOf,
  test,
} from "./support/desk.ts";

/** A time in the sales team's zone, and the same in UTC. */
const VISIT = { typed: "2030-06-01T15:00", instant: "2030-06-01T07:00:00.000Z" };
const visitIn = { en: /Visit Sat, 1 Jun 2030, 15:00/, zh: /2030年6月1日周六 15:00 参观/ };

/** The browser's console message for an error response. */
const errorStatus = (status: number) => new RegExp(`status of ${status}`);

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).tap();
}

/** Presses "Save" and waits for the confirmation. */
async function save(page: Page, language: Language): Promise<void> {
  await press(page, deskTexts[language].save);
  await expect(page.getByText(deskTexts[language].saved, { exact: true })).toBeVisible();
}

async function bookVisit(page: Page, language: Language): Promise<void> {
  const texts = deskTexts[language];
  await press(page, texts.visit);
  await page.getByText(texts.anotherTime).tap();
  await page.getByLabel(texts.when).fill(VISIT.typed);
  await save(page, language);
}

test("a lead is called, assigned to a colleague and booked on a phone", { tag: "@zh" }, async ({
  newPhone,
  language,
  problems,
}) => {
  // The browser is not logged in when it reloads the page.
  problems.expect(errorStatus(401));
  const texts = deskTexts[language];
  const { reference, name, email } = await register(language);
  const first = await linkIn(MEI.address, reference, 1);
  const mei = await newPhone();
  await openLink(mei, first, language);
  const heading = mei.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText(name);
  await expect(heading).toBeFocused();
  await expect(mei).toHaveTitle(`${reference} · ${texts.title}`);
  expect(mei.url()).not.toContain(new URL(first).hash);
  await expect(mei.getByRole("link", { name: `${texts.call} 9123 4567` })).toHaveAttribute(
    "href",
    "tel:+6591234567",
  );
  await expect(mei.getByText(email, { exact: true })).toBeVisible();
  // A reply to this email quotes its link to the visitor, so the link shows the lead and cannot log in.
  await expect(mei.getByRole("heading", { name: texts.notLoggedIn })).toBeVisible();
  await expect(mei.getByRole("button", { name: texts.continueAs(MEI.name) })).toHaveCount(0);
  await expect(mei.getByText(texts.whatHappened, { exact: true })).toHaveCount(0);
  await expectAccessible(mei);

  await mei.reload();
  await expect(heading).toHaveText(name);
  const other = otherLanguage(language);
  await mei.getByRole("link", { name: languageNames[other] }).tap();
  await expect(mei.getByRole("button", { name: deskTexts[other].mailTo(MEI.name) })).toBeVisible();
  await mei.getByRole("link", { name: languageNames[language] }).tap();
  await press(mei, texts.mailTo(MEI.name));
  await expect(mei.getByText(texts.mailedTo(MEI.masked))).toBeVisible();

  await openLink(mei, await linkIn(MEI.address, reference, 2), language);
  await expectLoggedIn(mei, language);
  await expectAccessible(mei);
  await press(mei, texts.called);
  await mei.getByText(texts.inThreeDays).tap();
  await expectAccessible(mei);
  await save(mei, language);
  await expect(standingOf(mei)).toContainText(texts.states.contacted);
  await press(mei, texts.note);
  await expect(mei.getByLabel(texts.noteText)).toBeFocused();
  await mei.getByLabel(texts.noteText).fill("Wants two bedrooms.\nSpeaks Mandarin.");
  await save(mei, language);
  await expect(mei.getByRole("button", { name: texts.note, exact: true })).toBeFocused();
  await expect(lastEntry(mei)).toContainText("Wants two bedrooms.");
  await press(mei, texts.give);
  await expect(mei.getByText(texts.givenMail)).toBeVisible();
  await expectAccessible(mei);
  await press(mei, DANIEL.name);
  await expect(standingOf(mei)).toContainText(texts.whoseIs(DANIEL.name));

  const daniel = await newPhone();
  await openLink(daniel, await linkIn(DANIEL.address, reference, 1), language);
  await expectAccessible(daniel);
  await continueAs(daniel, DANIEL, language);
  await press(daniel, texts.visit);
  await daniel.getByText(texts.anotherTime).tap();
  const when = daniel.getByLabel(texts.when);
  await when.fill("2020-06-01T15:00");
  expect(await when.evaluate((field: HTMLInputElement) => field.validity.rangeUnderflow)).toBe(
    true,
  );
  await when.fill(VISIT.typed);
  const sent = daniel.waitForRequest((request) => request.method() === "POST");
  await save(daniel, language);
  expect((await sent).postDataJSON()).toMatchObject({ next_step_at: VISIT.instant });
  await expect(standingOf(daniel)).toHaveText(visitIn[language]);
  await expect(lastEntry(daniel)).toContainText(DANIEL.name);
  await expect(lastEntry(daniel)).toHaveText(visitIn[language]);

  await daniel.getByRole("link", { name: texts.list, exact: true }).tap();
  const mine = daniel.locator(".desk-rows", { hasText: texts.mine });
  await expect(mine.getByRole("link", { name })).toHaveText(visitIn[language]);
  await expect(daniel.getByRole("button", { name: texts.sendBrochure })).toHaveCount(0);
  await press(daniel, texts.logOut);
  await expect(daniel.getByRole("heading", { level: 1 })).toHaveText(texts.loggedOut);
});

test("a used login link shows only the lead in another browser", async ({
  newPhone,
  language,
  problems,
}) => {
  problems.expect(errorStatus(401), errorStatus(403));
  const texts = deskTexts[language];
  const { reference, name } = await register(language);
  const one = await newPhone();
  await openLink(one, await linkIn(MEI.address, reference, 1), language);
  await press(one, texts.mailTo(MEI.name));
  const personal = await linkIn(MEI.address, reference, 2);
  await openLink(one, personal, language);
  await expectLoggedIn(one, language);

  const other = await newPhone();
  await openLink(other, personal, language);
  await press(other, texts.continueAs(MEI.name));
  await expect(other.getByRole("button", { name: texts.mailTo(MEI.name) })).toBeVisible();
  await expect(other.getByRole("heading", { name: texts.notLoggedIn })).toBeFocused();
  await expect(other.getByRole("heading", { level: 1 })).toHaveText(name);
  await expect(other.locator(".desk-actions, .desk-history")).toHaveCount(0);
  await expectAccessible(other);
  // The list requires a login, so this browser returns to its lead.
  await other.goto(`/desk?lang=${language}#/leads`);
  await other.reload();
  await expect(other.getByRole("heading", { level: 1 })).toHaveText(name);
  await expect(other.getByLabel(texts.search)).toHaveCount(0);
  expect((await other.request.post("/desk/api/leads", { data: {} })).status()).toBe(401);
});

test("missing, expired and invalid links show an explanation", async ({
  newPhone,
  language,
  problems,
}) => {
  problems.expect(errorStatus(401), errorStatus(403));
  const texts = deskTexts[language];
  const page = await newPhone();
  await page.goto(`/desk?lang=${language}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.loggedOut);
  await expectAccessible(page);
  await page.goto(`/desk?lang=${language}#forged.key`);
  const [heading, text] = texts.unopened.invalid_link;
  await expect(page.getByText(text)).toBeVisible();
  await expect(page).toHaveTitle(`${heading} · ${texts.title}`);
  await expectAccessible(page);
  // A link expires too late for a test, so the response is simulated.
  await page.route("**/desk/api/key", (route) =>
    route.fulfill({ status: 403, json: { error: { code: "expired_link" } } }),
  );
  await page.goto(`/desk?lang=${language}#expired.key`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.unopened.expired_link[0]);
  await expect(page.getByRole("button", { name: texts.mailNew })).toBeVisible();
  await expect(page.getByText(texts.notYou())).toBeVisible();
  await expectAccessible(page);
});

test("the list has own and new leads, and keeps its search", async ({ newPhone, language }) => {
  const texts = deskTexts[language];
  const [mine, nobodys] = [await register(language), await register(language)];
  const page = await newPhone(MEI);
  await openLead(page, nobodys.reference, language);
  await openLead(page, mine.reference, language);
  await press(page, texts.take);
  await expect(standingOf(page)).toContainText(texts.yours);
  await expect(page.getByRole("button", { name: texts.take })).toHaveCount(0);

  await page.getByRole("link", { name: texts.list, exact: true }).tap();
  await expect(page).toHaveTitle(`${texts.list} · ${texts.title}`);
  const row = ({ name }: { name: string }) => page.getByRole("link", { name });
  const section = (name: string) => page.locator(".desk-rows", { hasText: name });
  const own = section(texts.mine).getByRole("link", { name: mine.name });
  await expect(own.getByTitle(MEI.name)).toBeVisible();
  await expect(section(texts.untouched).getByRole("link", { name: nobodys.name })).toBeVisible();
  const call = page.getByRole("listitem").filter({ hasText: mine.name });
  await expect(call.getByRole("link", { name: texts.call })).toHaveAttribute(
    "href",
    "tel:+6591234567",
  );
  // Mei may send the brochure. Sending would email the visitors of all other tests.
  await press(page, texts.sendBrochure);
  await expect(page.locator(".desk-brochure .desk-counts")).toBeVisible();
  await expectAccessible(page);
  await press(page, texts.sendBrochure);

  const search = page.getByLabel(texts.search);
  await search.fill(mine.reference);
  await expect(page.getByRole("status")).toHaveText(texts.foundCount(1, true));
  await expect(row(mine)).toBeVisible();
  await expect(row(nobodys)).toHaveCount(0);
  await row(mine).tap();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(mine.name);
  await page.goBack();
  await expect(search).toHaveValue(mine.reference);
  await expect(row(mine)).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await search.fill(randomUUID());
  await expect(page.getByText(texts.none.search)).toBeVisible();
  await expect(row(mine)).toHaveCount(0);
});

test("a conflicting change shows the other change and keeps text", async ({
  newPhone,
  language,
  problems,
}) => {
  problems.expect(errorStatus(409));
  const texts = deskTexts[language];
  const { reference } = await register(language);
  const [mine, theirs] = [await newPhone(MEI), await newPhone(DANIEL)];
  await openLead(mine, reference, language);
  await openLead(theirs, reference, language);
  await press(mine, texts.close);
  await mine.getByLabel(texts.reasons.bought, { exact: true }).check();
  await mine.getByLabel(texts.optionalNote).fill("Unit 12-04");
  await bookVisit(theirs, language);

  await press(mine, texts.close);
  await expect(mine.getByText(texts.errors.changed_meanwhile(DANIEL.name))).toBeVisible();
  await expect(standingOf(mine)).toHaveText(visitIn[language]);
  await expect(lastEntry(mine)).toContainText(DANIEL.name);
  await expect(mine.getByLabel(texts.optionalNote)).toHaveValue("Unit 12-04");
  await expectAccessible(mine);
  await press(mine, texts.close);
  await expect(standingOf(mine)).toContainText(texts.reasons.bought);
});

test("a walk-in is entered once and assigned to the salesperson", async ({
  newPhone,
  language,
}) => {
  const texts = deskTexts[language];
  const name = `${language === "zh" ? "陈" : "Walk-in"} ${randomUUID().slice(0, 8)}`;
  const page = await newPhone(MEI);
  await page.goto(`/desk?lang=${language}`);
  await page.getByRole("link", { name: texts.newLead }).tap();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.newLead);
  await expectAccessible(page);
  const field = (label: string) => page.getByLabel(label, { exact: true });
  await field(texts.fields.name).fill(name);
  await field(texts.fields.mobile).fill("8123 4567");
  await field(texts.fields.email).fill(`${randomUUID()}@example.com`);
  // Rows of the list, which closes, have the same text.
  await page.locator("label", { hasText: texts.interests.showflat }).tap();
  await press(page, texts.save);
  const consent = page.getByLabel(texts.privacyAccepted);
  await expect(consent).toBeFocused();
  await consent.check();
  await page.getByLabel(texts.mayContact.message).check();
  await page.getByText(texts.consentMeans.in_person, { exact: true }).tap();
  await page.getByRole("button", { name: texts.save, exact: true }).dblclick();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
  await expect(standingOf(page)).toContainText(texts.states.contacted);
  await expect(standingOf(page)).toContainText(texts.yours);
  const history = page.locator(".desk-history ol");
  const entered = texts.enteredWith(texts.consentMeans.in_person);
  await expect(history).toContainText(texts.said(MEI.name, entered));
  await expect(history).not.toContainText(texts.events.submitted);
  await expect(page.getByText(texts.agreed(["message"]))).toBeVisible();
  await expectAccessible(page);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.list);
  const mine = page.locator(".desk-rows", { hasText: texts.mine });
  await expect(mine.getByRole("link", { name })).toHaveCount(1);
});

test("do-not-contact applies to all leads of the person", async ({ newPhone, language }) => {
  const texts = deskTexts[language];
  const one = await register(language);
  const two = await register(language, one.email);
  const page = await newPhone(MEI);
  await openLead(page, one.reference, language);
  const call = page.getByRole("link", { name: `${texts.call} 9123 4567` });
  await expect(call).toBeVisible();
  await press(page, texts.forbid);
  await expect(page.getByText(texts.reallyForbid)).toBeVisible();
  await press(page, texts.stopContacting);
  await expect(page.getByText(texts.silent)).toBeVisible();
  await expectAccessible(page);

  await openLead(page, two.reference, language);
  await expect(page.getByText(texts.silent)).toBeVisible();
  await expect(call).toHaveCount(0);
  await page.getByRole("button", { name: texts.showAnyway }).tap();
  await expect(call).toBeVisible();

  const visitor = await newPhone();
  await openLink(visitor, await linkIn(MEI.address, two.reference, 1), language);
  await expect(visitor.getByText(texts.silent)).toBeVisible();
  await expect(visitor.getByRole("link", { name: texts.call })).toHaveCount(0);

  await press(page, texts.allow);
  await expect(page.getByText(texts.reallyAllow)).toBeVisible();
  await press(page, texts.allow);
  await expect(page.getByText(texts.silent)).toHaveCount(0);
});

test("the desk loads the styles of the parts that it shares with the site", async ({
  page,
  problems,
}) => {
  problems.expect(/status of (401|503)/);
  await page.goto("/desk/");
  const mark = page.locator(".wordmark-mark");
  await expect(mark).toBeVisible();
  expect((await mark.boundingBox())?.width).toBeLessThan(40);
});
