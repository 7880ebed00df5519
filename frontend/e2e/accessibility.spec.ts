import { expect } from "@playwright/test";
import { privacyPolicyVersion } from "#site/content/project.ts";
import { violationsOf } from "./support/axe.ts";
import { hydrated } from "./support/hydrated.ts";
import { expectNoOverflow } from "./support/overflow.ts";
import { test } from "./support/site.ts";

test("the home page has no violations, with errors or with the menu open", {
  tag: "@zh",
}, async ({ registration, texts }) => {
  const { page } = registration;
  await registration.submit();
  await expect(registration.toast).toContainText(texts.toast.invalid);
  expect(await violationsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator("header summary").click();
  await expect(page.getByRole("navigation", { name: texts.bar.menu })).toBeVisible();
  await expectNoOverflow(page);
  expect(await violationsOf(page)).toEqual([]);
});

test("the floor plans and the viewer have no violations", async ({ page, visit }) => {
  await visit("/floor-plans");
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    // At the end of the page, the button at the bottom of a phone's window covers no element in part.
    await page.getByRole("contentinfo").scrollIntoViewIfNeeded();
    expect(await violationsOf(page), `at ${width}`).toEqual([]);
    await page.locator("#A1 .plan-link").click();
    await expect(page.getByRole("dialog")).toBeVisible();
    expect(await violationsOf(page, "dialog"), `at ${width}`).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  }
});

test("a version of the privacy policy has no violations on a phone", async ({ page, visit }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await visit(`/privacy/${privacyPolicyVersion}`);
  expect(await violationsOf(page)).toEqual([]);
});

// 720 is a window of 1440 at 200 % zoom.
const widths = [320, 390, 720, 768, 1024, 1280, 1440, 1920];

test("no page scrolls sideways", async ({ registration, visit }) => {
  const { page } = registration;
  await registration.submit();
  await expect(registration.toast).toBeVisible();
  await expectNoOverflow(page, widths);
  await visit("/floor-plans");
  await expectNoOverflow(page, widths);
});

test("Register stays in the window when a translator makes the links longer", async ({
  page,
  visit,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await visit("/");
  await hydrated(page);
  const register = page.locator(".bar-register");
  await page.evaluate(() => {
    for (const link of document.querySelectorAll(".bar-row a")) {
      link.textContent = `${link.textContent} penterjemahan`;
    }
  });
  const { x = 0, width = 0 } = (await register.boundingBox()) ?? {};
  expect(x + width).toBeLessThanOrEqual(1280);
});

test("reduced motion disables transitions and animations", async ({ page, visit }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const path of ["/", "/floor-plans"]) {
    await visit(path);
    await expect(page.locator("html")).toHaveCSS("scroll-behavior", "auto");
    const moving = await page.evaluate(
      () =>
        [...document.querySelectorAll("*")].filter((element) => {
          const { transitionDuration, animationName } = getComputedStyle(element);
          return animationName !== "none" || !/^0s(, 0s)*$/.test(transitionDuration);
        }).length,
    );
    expect(moving).toBe(0);
  }
});

test("choices are visible in forced colours, light and dark", async ({ registration }) => {
  const { page } = registration;
  const box = page.locator("#interest-showflat");
  const tick = page.locator("#interest-showflat + .checkbox-tick");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ forcedColors: "active", colorScheme });
    await box.check();
    const ground = await box.evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await tick.evaluate((element) => getComputedStyle(element).stroke)).not.toBe(ground);
    const chips = page.locator(".visit .chip");
    await chips.first().click();
    const colours = await chips.evaluateAll((all) =>
      all.slice(0, 2).map((chip) => getComputedStyle(chip).backgroundColor),
    );
    expect(colours[0], colorScheme).not.toBe(colours[1]);
    await chips.first().click();
  }
});

test("fields of one row start at one height, and hints describe them", { tag: "@zh" }, async ({
  registration,
  texts,
}) => {
  const { page } = registration;
  for (const width of [1024, 1279, 1280, 1366, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    const tops = await Promise.all(
      ["#name", "#mobile"].map(async (field) => (await page.locator(field).boundingBox())?.y),
    );
    expect(tops[0], `at ${width}`).toBe(tops[1]);
  }
  await expect(page.locator("#mobile")).toHaveAccessibleName(texts.registration.mobile);
  await expect(page.locator("#mobile")).toHaveAccessibleDescription(texts.registration.mobileHint);
});
