import { expect } from "@playwright/test";
import { isHydrated } from "../../e2e/support/hydrated.ts";
import { setting } from "../../e2e/support/settings.ts";
import type { Driver } from "./engines.ts";
import { type ElementReference, WebDriver } from "./webdriver.ts";

/** The text of an element, with plain spaces. */
export const plain = (text: string) => text.replaceAll("\u00a0", " ").trim();

/** A browser window as large as a phone, which a driver controls. */
export class Phone {
  readonly driver: WebDriver;
  readonly #output: string[];
  readonly #reported: string[] = [];

  private constructor(driver: WebDriver, output: string[]) {
    this.driver = driver;
    this.#output = output;
  }

  static async start({ address, capabilities, output }: Driver): Promise<Phone> {
    const driver = await WebDriver.start(address, capabilities);
    output.length = 0;
    try {
      await openPhoneWindow(driver);
    } catch (error) {
      // A driver has one session at a time.
      await driver.end();
      throw error;
    }
    return new Phone(driver, output);
  }

  /** Opens a path of the site, and waits until it is hydrated. */
  async open(path: string): Promise<void> {
    await this.#collectReports();
    await this.driver.open(new URL(path, setting("SITE_URL")).href);
    await this.hydrated();
  }

  async reload(): Promise<void> {
    await this.#collectReports();
    await this.driver.reload();
    await this.hydrated();
  }

  async hydrated(): Promise<void> {
    await expect.poll(() => this.driver.evaluate(isHydrated)).toBe(true);
  }

  /** Presses the first visible element that matches a selector and contains a text, as soon as it can be pressed. */
  async press(selector: string, text = ""): Promise<void> {
    let element: ElementReference | null = null;
    const found = async () => {
      element = await this.driver.evaluate(bringIntoReach, selector, plain(text));
      return element !== null;
    };
    await expect.poll(found, `${selector} ${text}`).toBe(true);
    await this.driver.click(element as unknown as ElementReference);
  }

  async type(selector: string, text: string): Promise<void> {
    await this.press(selector);
    const focused = await this.driver.evaluate(
      () => document.activeElement as unknown as ElementReference,
    );
    await this.driver.type(focused, text);
  }

  /** Waits until the visible elements that match a selector have these texts. */
  async expectTexts(selector: string, texts: string[]): Promise<void> {
    await expect
      .poll(() => this.texts(selector), selector)
      .toEqual(texts.map((text) => expect.stringContaining(plain(text))));
  }

  /** The texts of the visible elements that match a selector. */
  async texts(selector: string): Promise<string[]> {
    return (await this.driver.evaluate(shownTexts, selector)).map(plain);
  }

  async expectValue(selector: string, value: string): Promise<void> {
    const read = (css: string) => document.querySelector<HTMLInputElement>(css)?.value;
    await expect.poll(() => this.driver.evaluate(read, selector), selector).toBe(value);
  }

  async isChecked(selector: string): Promise<boolean> {
    const read = (css: string) => document.querySelector<HTMLInputElement>(css)?.checked ?? false;
    return await this.driver.evaluate(read, selector);
  }

  /** Waits until an element is entirely within the window. */
  async expectInWindow(selector: string): Promise<void> {
    await expect.poll(() => this.driver.evaluate(isInWindow, selector), selector).toBe(true);
  }

  async url(): Promise<URL> {
    return new URL(await this.driver.evaluate(() => window.location.href));
  }

  async expectNoOverflow(): Promise<void> {
    const over = () => document.documentElement.scrollWidth - window.innerWidth;
    expect(await this.driver.evaluate(over)).toBeLessThanOrEqual(0);
  }

  /** Errors that the pages have reported to the server. Firefox also prints uncaught errors. */
  async problems(): Promise<string[]> {
    await this.#collectReports();
    const printed = this.#output.filter((line) => /^JavaScript (error|warning): http/.test(line));
    return [...this.#reported, ...printed];
  }

  /** A page forgets its reports when it is left. */
  async #collectReports(): Promise<void> {
    const reports = () =>
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.endsWith("/browser-error"))
        .map(() => `reported by ${window.location.pathname}`);
    this.#reported.push(...(await this.driver.evaluate(reports)));
  }
}

/** The first window has a toolbar, which is wider than a phone. A popup has none. */
async function openPhoneWindow(driver: WebDriver): Promise<void> {
  const [first = ""] = await driver.windows();
  await driver.evaluate(() => void window.open("about:blank", "", "popup,width=390,height=844"));
  await expect.poll(async () => (await driver.windows()).length).toBe(2);
  const [popup = ""] = (await driver.windows()).filter((handle) => handle !== first);
  await driver.closeWindow();
  await driver.switchTo(popup);
  const size = () => driver.evaluate(() => [window.innerWidth, window.innerHeight]);
  await expect.poll(size).toEqual([390, 844]);
}

/** Runs in the page: scrolls to an element, and returns it once it neither moves nor is covered. */
function bringIntoReach(selector: string, text: string): ElementReference | null {
  const element = [...document.querySelectorAll<HTMLElement>(selector)].find(
    (candidate) =>
      candidate.checkVisibility() &&
      (candidate.textContent ?? "").replaceAll("\u00a0", " ").includes(text),
  );
  if (element === undefined) {
    return null;
  }
  const { x, y, width, height } = element.getBoundingClientRect();
  const middle = { x: x + width / 2, y: y + height / 2 };
  const top = document.elementFromPoint(middle.x, middle.y);
  if (!element.contains(top)) {
    element.scrollIntoView({ block: "center", behavior: "instant" });
    return null;
  }
  const place = `${x} ${y}`;
  const page = window as { lastPlace?: string };
  const isStill = page.lastPlace === place;
  page.lastPlace = place;
  return isStill ? (element as unknown as ElementReference) : null;
}

/** Runs in the page. */
function shownTexts(selector: string): string[] {
  return [...document.querySelectorAll<HTMLElement>(selector)]
    .filter((element) => element.checkVisibility())
    .map((element) => element.textContent ?? "");
}

/** Runs in the page. */
function isInWindow(selector: string): boolean {
  return [...document.querySelectorAll(selector)].some((element) => {
    const { left, right, top, bottom, width } = element.getBoundingClientRect();
    return (
      width > 0 &&
      left >= 0 &&
      top >= 0 &&
      Math.floor(right) <= window.innerWidth &&
      Math.floor(bottom) <= window.innerHeight
    );
  });
}
