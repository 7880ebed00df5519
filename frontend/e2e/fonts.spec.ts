import { expect } from "@playwright/test";
import { headingCharacters } from "../scripts/fonts.mjs";
import { test } from "./support/site.ts";

test("no Chinese text mixes the heading font with another", async ({ page, problems }) => {
  // The page that does not exist.
  problems.expect(/404/);
  const drawn = new Set(await headingCharacters());
  for (const address of [
    "/?",
    "/floor-plans?compare=A1,B2&",
    "/floor-plans?plan=C1&view=living&",
    "/nothing?",
    "/registered?reference=ZG-1234-12&",
    "/not-registered?errors=failed&",
    "/agree?token=x&",
    "/agreed?channel=phone&",
    "/withdraw?token=x&",
    "/withdrawn?request=erasure&",
    "/not-withdrawn?errors=link&",
  ]) {
    await page.goto(`${address}lang=zh`);
    if (address.includes("view=")) {
      await expect(page.locator(".plan-room h3")).toBeFocused();
    }
    const texts = await page.evaluate(() =>
      [...document.querySelectorAll("*")]
        .filter((element) => getComputedStyle(element).fontFamily.includes("Zyon Serif SC"))
        .flatMap(({ childNodes }) => [...childNodes])
        .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
        .map(({ textContent }) => textContent ?? ""),
    );
    expect(texts.length, address).toBeGreaterThan(0);
    for (const text of texts) {
      const missing = [...text].filter((letter) => letter > "\u2E80" && !drawn.has(letter));
      expect(missing, `${address}: ${text}`).toEqual([]);
    }
  }
});
