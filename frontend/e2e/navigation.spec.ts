import { expect, type Page } from "@playwright/test";
import type { Messages } from "#site/i18n/messages.ts";
import { holdRequests, hydrated } from "./support/hydrated.ts";
import { test } from "./support/site.ts";

const links = (texts: Messages) =>
  [
    [texts.nav.home, null],
    [texts.nav.floorPlans, null],
    [texts.nav.developer, "developer"],
    [texts.nav.project, "zyon-grand"],
    [texts.nav.region, "central-region"],
    [texts.nav.blog, "blog"],
    [texts.nav.showFlat, "showflat"],
    [texts.nav.contact, "contact"],
  ] as const;

const sectionLinks = (texts: Messages) =>
  links(texts).flatMap(([name, anchor]) => (anchor === null ? [] : [[name, anchor] as const]));

const barLinks = (page: Page, texts: Messages) =>
  page.getByRole("navigation", { name: texts.bar.main }).getByRole("link");

async function expectLinks(page: Page, texts: Messages): Promise<void> {
  await expect(barLinks(page, texts)).toHaveText(links(texts).map(([name]) => name));
}

async function expectFixedBar(page: Page): Promise<void> {
  await expect(page.getByRole("banner")).toHaveCSS("position", "fixed");
  await page.mouse.wheel(0, 3_000);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(500);
  expect((await page.getByRole("banner").boundingBox())?.y).toBe(0);
}

/** Waits until the section's heading is at most 200 px below the bar. */
async function expectArrived(page: Page, anchor: string): Promise<void> {
  const bar = await page.getByRole("banner").boundingBox();
  const below = (bar?.y ?? 0) + (bar?.height ?? 0);
  const heading = page.locator(`[id="${anchor}"]`).getByRole("heading").first();
  await expect
    .poll(async () => {
      const top = (await heading.boundingBox())?.y ?? Number.NaN;
      return top >= below && top <= below + 200;
    })
    .toBe(true);
}

test.describe("on a desktop", () => {
  test.use({ viewport: { width: 1440, height: 900 } });

  test("the bar leads from the home page to its sections and marks the current one", {
    tag: "@zh",
  }, async ({ page, visit, texts }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await visit("/");
    await expectLinks(page, texts);
    await expectFixedBar(page);
    await expect(page.locator("header summary")).toBeHidden();
    const marked = page.getByRole("navigation", { name: texts.bar.main }).locator("[aria-current]");
    for (const [name, anchor] of sectionLinks(texts)) {
      await barLinks(page, texts).filter({ hasText: name }).click();
      await expect(page).toHaveURL((url) => url.pathname === "/" && url.hash === `#${anchor}`);
      await expectArrived(page, anchor);
    }
    await barLinks(page, texts).filter({ hasText: texts.nav.region }).click();
    await expect(marked).toHaveText(texts.nav.region);
    const home = barLinks(page, texts).filter({ hasText: texts.nav.home }).first();
    await home.click();
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
    await expect(page).toHaveURL((url) => url.pathname === "/" && url.hash === "");
    await expect(home).toBeFocused();
    await expect(marked).toHaveText(texts.nav.home);
  });

  test("the bar leads from the floor plans to sections and to the form", async ({
    page,
    visit,
    texts,
  }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await visit("/floor-plans");
    await expectLinks(page, texts);
    await expectFixedBar(page);
    const openFloorPlans = async () => {
      await barLinks(page, texts).filter({ hasText: texts.nav.floorPlans }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.plans.heading);
      await expect(page.locator("#main")).toBeFocused();
    };
    for (const [name, anchor] of sectionLinks(texts)) {
      await barLinks(page, texts).filter({ hasText: name }).click();
      await expect(page).toHaveURL((url) => url.pathname === "/" && url.hash === `#${anchor}`);
      await expectArrived(page, anchor);
      await openFloorPlans();
    }
    await page.getByRole("banner").getByRole("button", { name: texts.bar.register }).click();
    await expect(page).toHaveURL((url) => url.pathname === "/" && url.hash === "#contact-form");
    await expectArrived(page, "contact-form");
    await expect(page.locator("#contact-form")).toBeFocused();

    await openFloorPlans();
    await expect(page).toHaveTitle(texts.head.floorPlans.title);
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    const marked = page.getByRole("navigation", { name: texts.bar.main }).locator("[aria-current]");
    await expect(marked).toHaveText(texts.nav.floorPlans);
    await expect(marked).toHaveAttribute("aria-current", "page");
  });

  test("Register Interest scrolls smoothly to the form", { tag: "@zh" }, async ({
    page,
    visit,
    texts,
  }) => {
    await visit("/");
    const passed = await page.evaluate(async (name) => {
      const link = [...document.querySelectorAll("header a")].find(
        (anchor) => anchor.textContent === name,
      ) as HTMLElement;
      const positions = new Set<number>();
      link.click();
      await new Promise<void>((resolve) => {
        document.addEventListener("scroll", () => positions.add(window.scrollY));
        document.addEventListener("scrollend", () => resolve(), { once: true });
      });
      return positions.size;
    }, texts.bar.register);
    // A jump has one position. A busy machine draws few frames of a smooth scroll.
    expect(passed).toBeGreaterThan(2);
    await expect(page).toHaveURL(/#contact-form$/);
    await expectArrived(page, "contact-form");
  });

  test("another page starts at its top, or at the target, without scrolling there", async ({
    page,
    visit,
    texts,
  }) => {
    await visit("/");
    await hydrated(page);
    for (const [link, isThere] of [
      [barLinks(page, texts).filter({ hasText: texts.nav.floorPlans }), "h1.plans-heading"],
      [barLinks(page, texts).filter({ hasText: texts.nav.region }), "#central-region"],
    ] as const) {
      await page.evaluate(() => window.scrollTo(0, 3_000));
      await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(3_000);
      await page.evaluate(() => {
        const positions = new Set<number>();
        Object.assign(window, { positions });
        document.addEventListener("scroll", () => positions.add(window.scrollY));
      });
      await link.click();
      await expect(page.locator(isThere)).toBeInViewport();
      // A page that scrolls smoothly ends after a second at the latest.
      await expect
        .poll(() =>
          page.evaluate(async () => {
            const before = window.scrollY;
            await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 300)));
            return window.scrollY === before;
          }),
        )
        .toBe(true);
      const passed = await page.evaluate(
        () => (window as unknown as { positions: Set<number> }).positions.size,
      );
      expect(passed).toBeLessThanOrEqual(2);
    }
  });

  test("while the code of a page loads, a sign shows it, and links lead to their sections", async ({
    page,
    visit,
    texts,
  }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await visit("/");
    const release = await holdRequests(page, /\/assets\/floor-plans-page-[^/]+\.js$/);
    await page.reload();
    await hydrated(page);
    await barLinks(page, texts).filter({ hasText: texts.nav.floorPlans }).click();
    await expect(page).toHaveURL(/\/floor-plans/);
    await expect(page.locator("html")).toHaveClass(/loading/);
    await barLinks(page, texts).filter({ hasText: texts.nav.developer }).click();
    await expect(page).toHaveURL((url) => url.pathname === "/" && url.hash === "#developer");
    await expectArrived(page, "developer");
    release();
    await expect(page.locator("html")).not.toHaveClass(/loading/);
    await expectArrived(page, "developer");
  });

  test("Back restores the scroll position", async ({ page, visit, texts }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await visit("/");
    await page.evaluate(() => window.scrollTo(0, 2_400));
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(2_400);
    await barLinks(page, texts).filter({ hasText: texts.nav.floorPlans }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.plans.heading);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
    await page.goBack();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Zyon Grand");
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(2_400);
  });
});

test("skip link, toggle and Register respond to the keyboard", async ({ page, visit, texts }) => {
  await visit("/floor-plans");
  await hydrated(page);
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: texts.bar.skip });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.locator("#main")).toBeFocused();

  const banner = page.getByRole("banner");
  const heading = page.getByRole("heading", { level: 1 });
  await banner.getByRole("button", { name: /English|中文/ }).press("Space");
  await expect(heading).not.toHaveText(texts.plans.heading);
  await banner.getByRole("button", { name: /English|中文/ }).press("Enter");
  await expect(heading).toHaveText(texts.plans.heading);
  await banner.getByRole("button", { name: texts.bar.register }).press("Space");
  await expect(page.getByRole("form")).toBeInViewport();
  await expect(page.locator("form#contact-form")).toHaveCount(1);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  const menu = (page: Page) => page.locator("header details");

  test("the menu opens and closes by button and Escape, and its links lead to their targets", {
    tag: "@zh",
  }, async ({ page, visit, texts }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await visit("/floor-plans");
    const toggle = menu(page).locator("summary");
    const shown = page.getByRole("navigation", { name: texts.bar.menu });
    await expect(shown).toBeHidden();
    await expect(barLinks(page, texts)).toHaveCount(0);
    await expectFixedBar(page);
    await toggle.click();
    await expect(shown.getByRole("link")).toHaveText(links(texts).map(([name]) => name));
    await expect(shown.getByRole("link").first()).toBeInViewport();
    await toggle.click();
    await expect(shown).toBeHidden();
    await toggle.press("Enter");
    await expect(shown).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(shown).toBeHidden();
    await expect(toggle).toBeFocused();

    const press = async (name: string) => {
      await toggle.click();
      await shown.getByRole("link", { name, exact: true }).click();
      await expect(menu(page)).not.toHaveAttribute("open");
    };
    for (const [name, anchor] of sectionLinks(texts)) {
      await press(name);
      await expect(page).toHaveURL((url) => url.pathname === "/" && url.hash === `#${anchor}`);
      await expectArrived(page, anchor);
    }
    await press(texts.nav.home);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
    await expect(page).toHaveURL((url) => url.pathname === "/" && url.hash === "");
    await press(texts.nav.floorPlans);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.plans.heading);
    await expect(page).toHaveURL((url) => url.pathname === "/floor-plans");
  });

  test("pressing Register closes the menu, then scrolls after 100 ms", async ({
    page,
    visit,
    texts,
  }) => {
    await page.clock.install();
    await visit("/");
    await menu(page).locator("summary").click();
    // A paused clock would delay hydration.
    await hydrated(page);
    await page.clock.pauseAt(Date.now() + 60_000);
    await menu(page).getByRole("button", { name: texts.bar.register }).click();
    await expect(menu(page)).not.toHaveAttribute("open");
    await page.clock.runFor(99);
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    const passed = await page.evaluateHandle(() => {
      const positions = new Set<number>();
      document.addEventListener("scroll", () => positions.add(window.scrollY));
      return positions;
    });
    await page.clock.runFor(1);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(1_000);
    await page.clock.resume();
    await expectArrived(page, "contact-form");
    // A jump has one position.
    expect(await passed.evaluate((positions) => positions.size)).toBeGreaterThan(2);
  });
});
