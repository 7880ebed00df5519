import { expect, type Page } from "@playwright/test";

/** Begins to use the page, as a visitor would, and waits until React has taken over every part of it. */
export async function hydrated(page: Page): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(() => {
        window.dispatchEvent(new Event("pointerdown"));
        return [...document.querySelectorAll("#root section, #root form, footer")].every(
          (element) => Object.keys(element).some((key) => key.startsWith("__reactProps")),
        );
      }),
    )
    .toBe(true);
}
