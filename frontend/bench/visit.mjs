import { chromium } from "@playwright/test";
import { chromiumFlags } from "../scripts/chromium.mjs";

/** @typedef {import("./report.mjs").Figure} Figure */
/** @typedef {import("@playwright/test").Page} Page */

/** The window of a phone, and its pixels to a CSS pixel. */
const phone = { width: 390, height: 844, density: 3 };
/** As Lighthouse has it for a phone. */
const SLOWDOWN = 4;
/** The browser tells of no interaction that was shorter. */
const SHORTEST_MS = 16;

/**
 * What a visitor does, in order; each ends when the page shows what it was for. The first does not wait until the page
 * is live, and is quicker than any person; the others wait.
 * @type {[name: string, act: (page: Page) => Promise<unknown>][]}
 */
const steps = [
  [
    "open the menu immediately",
    async (page) => {
      await page.locator(".menu-toggle").tap();
      await page.locator(".menu-panel").waitFor();
    },
  ],
  [
    "close the menu",
    async (page) => {
      await page.waitForFunction(() =>
        Object.keys(document.querySelector("footer") ?? {}).some((key) =>
          key.startsWith("__react"),
        ),
      );
      await page.locator(".menu-toggle").tap();
      await page.locator(".menu-panel").waitFor({ state: "hidden" });
    },
  ],
  [
    "change the language",
    async (page) => {
      await page.locator('header .language[href="?lang=zh"]').tap();
      await page.locator('header .language[href="?lang=en"]').waitFor();
    },
  ],
  ["choose an interest", (page) => page.locator("label[for=interest-showflat]").tap()],
  [
    "type into the form",
    async (page) => {
      for (const [field, text] of [
        ["name", "Tan Wei"],
        ["mobile", "91234567"],
        ["email", "wei@x.sg"],
      ]) {
        await page.locator(`#${field}`).tap();
        await page.locator(`#${field}`).pressSequentially(text ?? "");
      }
    },
  ],
  [
    "submit an incomplete form",
    async (page) => {
      await page.locator("form button[type=submit]").tap();
      await page.locator("#antiSpam-error").waitFor();
    },
  ],
  [
    "go to the floor plans",
    async (page) => {
      await page.locator(".menu-toggle").tap();
      await page.locator('.menu-panel a[href^="/floor-plans"]').tap();
      await page.locator("#A1").waitFor();
    },
  ],
  [
    "open a plan",
    async (page) => {
      await page.locator("#A1 .plan-link").tap();
      await page.locator("dialog[open]").waitFor();
    },
  ],
  ["enlarge the plan", (page) => page.locator(".viewer-foot button").last().tap()],
  [
    "close the plan",
    async (page) => {
      await page.locator(".viewer-head > button").tap();
      await page.locator("dialog[open]").waitFor({ state: "hidden" });
    },
  ],
];

/**
 * Visits the site once on a slowed phone. Interaction to Next Paint is the longest of fewer than fifty interactions.
 * @param {string} origin
 * @param {string} executablePath of the browser
 * @returns {Promise<Figure[]>} of the visit and of each step
 */
export async function visit(origin, executablePath) {
  const browser = await chromium.launch({ executablePath, args: chromiumFlags });
  try {
    const context = await browser.newContext({
      viewport: { width: phone.width, height: phone.height },
      deviceScaleFactor: phone.density,
      isMobile: true,
      hasTouch: true,
    });
    await context.addInitScript(record);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
    await page.goto(`${origin}/`, { waitUntil: "commit" });
    const begun = [];
    for (const [, act] of steps) {
      begun.push(await page.evaluate(() => performance.now()));
      await act(page);
      await page.evaluate(rest);
    }
    return figuresOf(begun, await page.evaluate(() => globalThis.noted));
  } finally {
    await browser.close();
  }
}

/**
 * @param {number[]} begun when each step began, milliseconds after the visit
 * @param {Noted} noted
 * @returns {Figure[]}
 */
export function figuresOf(begun, { menuOpen, interactions }) {
  const [, live = Number.NaN] = begun;
  if (menuOpen === null || !interactions.some(({ start }) => start >= live)) {
    throw new Error("the browser reported no interaction");
  }
  const longest = (/** @type {number} */ from, /** @type {number | undefined} */ to) => {
    const some = interactions.filter(
      ({ start }) => start >= from && start < (to ?? Number.POSITIVE_INFINITY),
    );
    return Math.max(SHORTEST_MS, ...some.map(({ duration }) => duration));
  };
  const unit = /** @type {const} */ ("ms");
  return [
    { name: "menu open, from navigation", unit, value: menuOpen },
    { name: "interaction to next paint", unit, value: longest(0, undefined) },
    { name: "the same, once hydrated", unit, value: longest(live, undefined) },
    ...steps.map(([name], index) => ({
      name,
      unit,
      value: longest(begun[index] ?? Number.NaN, begun[index + 1]),
    })),
  ];
}

/**
 * What is noted in the page, in milliseconds after the visit began.
 * @typedef {object} Noted
 * @property {number | null} menuOpen when the menu first opened
 * @property {{ start: number, duration: number }[]} interactions each event of every interaction
 */

/** In the page, before its own scripts. */
function record() {
  /** @type {Noted} */
  const noted = { menuOpen: null, interactions: [] };
  globalThis.noted = noted;
  const noteMenu = () => {
    noted.menuOpen = performance.now();
  };
  // The menu is the page's only element that toggles.
  document.addEventListener("toggle", noteMenu, { capture: true, once: true });
  new PerformanceObserver((list) => {
    for (const entry of /** @type {PerformanceEventTiming[]} */ (list.getEntries())) {
      if (entry.interactionId > 0) {
        noted.interactions.push({ start: entry.startTime, duration: entry.duration });
      }
    }
  }).observe(/** @type {PerformanceObserverInit} */ ({ type: "event", durationThreshold: 16 }));
}

/** In the page: resolves when what was asked for has been painted and nothing is left to do. */
function rest() {
  return new Promise((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(resolve))),
  );
}
