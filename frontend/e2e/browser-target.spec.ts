import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";
import { languageNames, otherLanguage } from "#shared/i18n/language.ts";
import { messages } from "#site/i18n/all-languages.ts";
import { deskTexts } from "../desk/texts.ts";
import { test as deskTest, MEI, openLead, register, standingOf } from "./support/desk.ts";
import { hydrated } from "./support/hydrated.ts";
import { entry, RegistrationPage } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

/** Functions that the oldest supported browsers lack: Chrome 99, Firefox 98, Safari 15.4 (`vite.config.ts`). */
const MISSING = {
  AbortSignal: ["timeout", "any"],
  Array: ["fromAsync"],
  "Array.prototype": ["findLast", "findLastIndex", "toReversed", "toSorted", "toSpliced", "with"],
  Map: ["groupBy"],
  Object: ["groupBy"],
  Promise: ["withResolvers", "try"],
  RegExp: ["escape"],
  "Set.prototype": ["union", "intersection", "difference", "isSubsetOf"],
  "String.prototype": ["isWellFormed", "toWellFormed"],
  URL: ["canParse", "parse"],
  "URLSearchParams.prototype": ["size"],
  Iterator: ["from"],
  // Exists only on https in any browser.
  crypto: ["randomUUID"],
  "HTMLElement.prototype": ["inert", "popover", "showPopover", "hidePopover", "togglePopover"],
  "Element.prototype": ["checkVisibility"],
  window: [
    "requestIdleCallback",
    "cancelIdleCallback",
    "navigation",
    "scheduler",
    "cookieStore",
    "CloseWatcher",
    "Iterator",
    "reportError",
    "structuredClone",
    "onscrollend",
  ],
} as const;

/** CSS that they lack, and what the test puts in its place, so that the browser ignores the rule. */
const MISSING_CSS = [
  [/:has\(/g, ":missing("],
  [/(\d)(cqw|cqh|svh|dvh|lvh)\b/g, "$1missing"],
  [/\bsubgrid\b/g, "missing"],
  [/@starting-style/g, "@missing"],
  [/::details-content/g, "::missing"],
] as const;

async function removeFunctions(page: Page): Promise<void> {
  await page.addInitScript((missing) => {
    for (const [owner, names] of Object.entries(missing)) {
      const object = owner
        .split(".")
        .reduce<object | undefined>(
          (value, name) => (value as Record<string, object | undefined> | undefined)?.[name],
          window,
        );
      for (const name of names) {
        for (let holder = object; holder; holder = Object.getPrototypeOf(holder)) {
          delete (holder as Record<string, unknown>)[name];
        }
      }
    }
  }, MISSING);
  // Old browsers ignore the attribute.
  await page.addInitScript(() => {
    const { setAttribute } = Element.prototype;
    Element.prototype.setAttribute = function set(name, value) {
      if (name !== "inert") {
        setAttribute.call(this, name, value);
      }
    };
  });
  await page.route("**/assets/*.css", async (route) => {
    const answer = await route.fetch();
    const css = MISSING_CSS.reduce(
      (text, [feature, mark]) => text.replace(feature, mark),
      await answer.text(),
    );
    await route.fulfill({ response: answer, body: css });
  });
}

test("the site works in the oldest supported browsers", { tag: "@zh" }, async ({
  page,
  language,
  texts,
}) => {
  await removeFunctions(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.route("https://www.openstreetmap.org/**", (route) => route.fulfill({ body: "map" }));
  const form = new RegistrationPage(page, texts);
  await form.open(language);

  await test.step("the form is sent, with times of a visit", async () => {
    await form.fill(entry());
    const time = page.locator(".visit .chip").first();
    await time.click();
    await expect(time.locator("input")).toBeChecked();
    await expect(time.locator("input")).toBeVisible();
    expect((await time.locator("input").boundingBox())?.width).toBeGreaterThan(10);
    await form.submit();
    await form.expectAccepted();
    expect(form.sent).toHaveLength(1);
  });

  await test.step("the map opens", async () => {
    await page.locator(".map").scrollIntoViewIfNeeded();
    await expect(page.locator("#central-region iframe")).toBeVisible();
  });

  await test.step("one level of the views is shown", async () => {
    await expect(page.locator(".views figure").filter({ visible: true })).toHaveCount(2);
  });

  await test.step("the focus leaves the menu, which closes it", async () => {
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.locator("header summary").click();
    await page.locator(".menu-panel a").last().focus();
    await page.keyboard.press("Tab");
    await expect(page.locator("header details")).not.toHaveAttribute("open");
  });

  await test.step("a picture opens, fits and is enlarged", async () => {
    await page.locator(".overview .large-picture").first().click();
    const picture = page.getByRole("dialog").locator("img");
    await expect(picture).toBeVisible();
    const before = (await picture.boundingBox())?.width ?? 0;
    expect(before).toBeLessThan(2 * 844);
    await page.keyboard.press("+");
    await expect
      .poll(async () => (await picture.boundingBox())?.width ?? 0)
      .toBeCloseTo(2 * before, 0);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });

  await test.step("the language is switched in place", async () => {
    const other = otherLanguage(language);
    await page.getByRole("banner").getByRole("button", { name: languageNames[other] }).click();
    await expect(page.locator("#contact-heading")).toHaveText(messages[other].contact.heading);
  });

  await test.step("plans are opened, filtered and compared", async () => {
    await page.goto(`/floor-plans?lang=${language}`);
    await hydrated(page);
    await page.locator("#B1 .plan-link").click();
    const drawing = page.getByRole("dialog").locator("img");
    await expect(drawing).toBeVisible();
    expect((await drawing.boundingBox())?.width).toBeLessThanOrEqual(390);
    await page.keyboard.press("Escape");
    for (const id of ["A1", "B1"]) {
      await page.locator(`#${id} .chip`).click();
      await expect(page.locator(`#${id} .chip`)).toHaveAttribute("aria-pressed", "true");
    }
    await expect(page.locator(".compare-pair figure")).toHaveCount(2);
  });
});

deskTest("the desk works in the oldest supported browsers", async ({ newPhone, language }) => {
  const texts = deskTexts[language];
  const { reference } = await register(language);
  const page = await newPhone(MEI);
  await removeFunctions(page);
  await openLead(page, reference, language);
  await page.getByRole("button", { name: texts.called, exact: true }).tap();
  await page.getByText(texts.inThreeDays).tap();
  await page.getByRole("button", { name: texts.save, exact: true }).tap();
  await expect(page.getByText(texts.saved, { exact: true })).toBeVisible();
  await expect(standingOf(page)).toContainText(texts.states.contacted);
  await page.goto(page.url().replace(/#.*/, "#/leads"));
  await page.locator("#desk-search").fill(reference);
  await expect(page.locator(".desk-row")).toHaveCount(1);
});
