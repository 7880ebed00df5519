import { expect, type Page } from "@playwright/test";

/** Waits until React has hydrated every part of the page: for tests of what only script can do. */
export async function hydrated(page: Page): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(() =>
        [...document.querySelectorAll("#root section, #root form, footer")].every((element) =>
          Object.keys(element).some((key) => key.startsWith("__reactProps")),
        ),
      ),
    )
    .toBe(true);
}
