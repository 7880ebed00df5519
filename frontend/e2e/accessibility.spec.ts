import { expect } from "@playwright/test";
import { violationsOf } from "./support/axe.ts";
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

const overflow = () => document.documentElement.scrollWidth - window.innerWidth;

test("no page scrolls sideways", async ({ registration, visit }) => {
  const { page } = registration;
  const expectNoOverflow = async () => {
    // 720 is a window of 1440 at 200 % zoom.
    for (const width of [320, 390, 720, 768, 1024, 1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(overflow), `at ${width}`).toBeLessThanOrEqual(0);
    }
  };
  await registration.submit();
  await expect(registration.toast).toBeVisible();
  await expectNoOverflow();
  await visit("/floor-plans");
  await expectNoOverflow();
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
