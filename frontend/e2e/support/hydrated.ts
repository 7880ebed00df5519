import { expect, type Page } from "@playwright/test";

/** Waits until React has hydrated every part of the page: for tests of what only script can do. */
export async function hydrated(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(isHydrated)).toBe(true);
}

/** Runs in the page. */
export function isHydrated(): boolean {
  return [...document.querySelectorAll("#root section, #root form, footer")].every((element) =>
    Object.keys(element).some((key) => key.startsWith("__reactProps")),
  );
}

/** Holds matching requests, for tests of a page before hydration. Returns the function that releases them. */
export async function holdRequests(page: Page, address: string | RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}
