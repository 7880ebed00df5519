import { randomInt } from "node:crypto";
import { expect } from "@playwright/test";
import { languageNames, languageTags, otherLanguage } from "#shared/i18n/language.ts";
import { messages } from "#site/i18n/all-languages.ts";
import { withdrawalTexts } from "#site/pages/withdrawal-texts.ts";
import { emailsTo, salesEmailAbout } from "../e2e/support/mailbox.ts";
import { type Entry, entry } from "../e2e/support/registration-page.ts";
import { setting } from "../e2e/support/settings.ts";
import type { Phone } from "./support/phone.ts";
import { test } from "./support/test.ts";

const PLANS = ["A1", "A2", "A3", "B1", "B2", "C1", "C2N", "D1", "D2", "PH1", "PH2", "PH3"];
const TEXT_FIELDS = ["name", "mobile", "email", "questions"] as const;

/** A valid entry without an emoji, which WebKit's driver does not type. */
const typeable = () => entry({ questions: "三房有书房吗？Is there a study?" });

async function fill(phone: Phone, values: Entry): Promise<void> {
  for (const interest of values.interests) {
    await phone.press(`label[for=interest-${interest}]`);
  }
  for (const field of TEXT_FIELDS) {
    await phone.type(`#${field}`, values[field]);
  }
  await phone.type("#antiSpam", "7");
  await phone.press("#privacyAccepted");
}

test("the home page shows its name, and is no wider than the phone", async ({
  phone,
  visit,
  language,
}) => {
  await visit("/");
  await phone.expectTexts("h1", ["Zyon Grand"]);
  await phone.expectInWindow("h1");
  const tag = () => document.documentElement.lang;
  expect(await phone.driver.evaluate(tag)).toBe(languageTags[language]);
  await phone.expectNoOverflow();
});

test("every picture of the home page loads as AVIF", async ({ phone, visit }) => {
  await visit("/");
  const pictures = () =>
    [...document.querySelectorAll<HTMLImageElement>("main picture img")]
      .filter((img) => img.checkVisibility())
      .map((img) => {
        if (!img.complete || img.naturalWidth === 0) {
          img.scrollIntoView({ behavior: "instant" });
          return "";
        }
        return /\.\w+$/.exec(img.currentSrc)?.[0];
      });
  const count = (await phone.driver.evaluate(pictures)).length;
  expect(count).toBeGreaterThan(5);
  await expect.poll(() => phone.driver.evaluate(pictures)).toEqual(Array(count).fill(".avif"));
});

test("the menu opens, and leads to a section", async ({ phone, visit, texts }) => {
  await visit("/floor-plans");
  await phone.press("header summary");
  await phone.expectInWindow(".menu-panel nav a");
  await phone.press(".menu-panel nav a", texts.nav.showFlat);
  await expect.poll(async () => (await phone.url()).hash).toBe("#showflat");
  expect((await phone.url()).pathname).toBe("/");
  await phone.hydrated();
  await phone.expectTexts(".menu-panel", []);
  await phone.expectInWindow("#showflat h2");
});

test("the toggle switches the language, and keeps typed text", async ({
  phone,
  visit,
  language,
}) => {
  const other = otherLanguage(language);
  await visit("/");
  await phone.type("#name", "陈伟");
  await phone.press("header .language", languageNames[other]);
  await phone.expectTexts("#contact h2", [messages[other].contact.heading]);
  await expect.poll(async () => (await phone.url()).search).toBe(`?lang=${other}`);
  await phone.expectValue("#name", "陈伟");
});

test("the plans page lists twelve plans, and filters them", async ({ phone, visit, texts }) => {
  await visit("/floor-plans");
  await phone.expectTexts("h1", [texts.plans.heading]);
  await phone.expectTexts(
    "article h2",
    PLANS.map((id) => id),
  );
  await phone.expectNoOverflow();
  await phone.press(".plans-filter a", "2");
  await phone.expectTexts("article h2", ["B1", "B2"]);
});

test("a plan opens in the viewer, which Back closes", async ({ phone, visit, texts }) => {
  await visit("/floor-plans");
  await phone.press("#B1 .plan-link");
  await phone.expectTexts("dialog[open] h2", [texts.unit.B1.heading]);
  await phone.expectInWindow("dialog[open] .viewer-foot");
  const isDrawn = () => {
    const img = document.querySelector<HTMLImageElement>("dialog[open] img");
    return img?.complete && img.naturalWidth > 0;
  };
  await expect.poll(() => phone.driver.evaluate(isDrawn)).toBe(true);
  await phone.driver.goBack();
  await phone.expectTexts("dialog", []);
  await phone.expectInWindow("#B1 .plan-link");
});

test("Back returns to the place on the page before", async ({ phone, visit, texts }) => {
  await visit("/");
  /** Where the window shows the picture. */
  const place = () =>
    phone.driver.evaluate(() => {
      const picture = document.querySelector("#zyon-grand a.large-picture");
      return Math.round(picture?.getBoundingClientRect().top ?? Number.NaN);
    });
  await phone.press("#zyon-grand a.large-picture");
  await phone.expectTexts("dialog[open] h2", [texts.pictures.arrival]);
  const before = await place();
  await phone.driver.goBack();
  await phone.expectTexts("dialog", []);
  expect(await place()).toBe(before);

  await phone.press("header summary");
  await phone.press(".menu-panel nav a", texts.nav.floorPlans);
  await phone.expectTexts("h1", [texts.plans.heading]);
  await phone.driver.goBack();
  await phone.expectTexts("h1", ["Zyon Grand"]);
  await expect.poll(place).toBe(before);
});

test("an empty form shows its errors, the first one in the window", async ({
  phone,
  visit,
  texts,
}) => {
  const { error } = texts.registration;
  await visit("/");
  await phone.press("#contact-form [type=submit]");
  await phone.expectTexts(".toast", [texts.toast.invalid]);
  await phone.expectTexts("#interests-error", [error.interests_required]);
  await phone.expectTexts("#name-error", [error.name_required]);
  await phone.expectTexts("#mobile-error", [error.mobile_too_short]);
  await phone.expectTexts("#email-error", [error.email_invalid]);
  await phone.expectTexts("#antiSpam-error", [error.anti_spam_wrong]);
  await phone.expectTexts("#privacyAccepted-error", [error.privacy_required]);
  await phone.expectInWindow("#interests-label");
});

test("a draft survives a reload, but neither the consent nor the sum", async ({ phone, visit }) => {
  await visit("/");
  const values = typeable();
  await fill(phone, values);
  await phone.reload();
  for (const field of TEXT_FIELDS) {
    await phone.expectValue(`#${field}`, values[field]);
  }
  await phone.expectValue("#antiSpam", "");
  expect(await phone.isChecked("#interest-showflat")).toBe(true);
  expect(await phone.isChecked("#privacyAccepted")).toBe(false);
});

test("a lead is accepted and emailed, and its withdrawal link works", async ({
  phone,
  visit,
  texts,
  language,
}) => {
  await visit("/");
  // No other test uses this number, because the withdrawal suppresses it too.
  const mobile = `+65 8${String(randomInt(10_000_000)).padStart(7, "0")}`;
  const lead = { ...typeable(), mobile };
  await fill(phone, lead);
  // A form that is sent within five seconds counts as spam, which gets no confirmation.
  const age = () => phone.driver.evaluate(() => performance.now());
  await expect.poll(age).toBeGreaterThan(6_000);
  await phone.press("#contact-form [type=submit]");
  await phone.expectTexts(".registration-note h3", [texts.registration.accepted.heading]);
  const [reference = ""] = await phone.texts(".registration-note strong");
  expect(reference).toMatch(/^ZG-[0-9A-Z]{4}-[0-9A-Z]{2}$/);
  const email = await salesEmailAbout(reference);
  for (const words of [lead.name, lead.mobile, lead.email, lead.questions]) {
    expect(email.text).toContain(words);
  }

  const toVisitor = async () => (await emailsTo(lead.email, reference))[0]?.text;
  await expect.poll(toVisitor, { timeout: 30_000 }).toContain("/withdraw?token=");
  const [link = ""] = /https?:\S+\/withdraw\?token=\S+/.exec((await toVisitor()) ?? "") ?? [];
  const { pathname, search } = new URL(link);
  await phone.driver.open(new URL(pathname + search, setting("SITE_URL")).href);
  const withdrawal = withdrawalTexts[language];
  await phone.expectTexts("h1", [withdrawal.heading]);
  await phone.expectNoOverflow();
  await phone.press("button", withdrawal.withdraw);
  await phone.expectTexts("h1", [withdrawal.doneHeading]);
});

test("an unknown path shows a page that leads home", async ({ phone, visit, texts }) => {
  await visit("/no/such/page");
  await phone.expectTexts("h1", [texts.notFound.heading]);
  await phone.expectTexts("main", [texts.notFound.text]);
  await phone.expectNoOverflow();
  await phone.press("main a", texts.notFound.home);
  await phone.expectTexts("h1", ["Zyon Grand"]);
});

test("detects an error of a page", async ({ phone, visit, problems }) => {
  problems.expect(/reported by \//);
  await visit("/");
  await phone.driver.evaluate(() => {
    const error = new TypeError("an error that this test causes");
    window.dispatchEvent(new ErrorEvent("error", { error }));
  });
  await expect.poll(() => phone.problems()).toContain("reported by /");
});
