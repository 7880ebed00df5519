import { expect } from "@playwright/test";
import { headingCharacters } from "../scripts/fonts.mjs";
import { test } from "./support/site.ts";

test("the Chinese heading font has every character of the pages", async ({ page, problems }) => {
  problems.expect(/status of 404/, /404: no page at/);
  const drawn = await headingCharacters();
  let checked = 0;
  for (const path of ["/?lang=zh", "/floor-plans?lang=zh", "/nowhere?lang=zh"]) {
    await page.goto(path);
    const rendered = await page.evaluate(() => {
      const inHeadingFont = [...document.body.querySelectorAll("*")].filter((element) =>
        getComputedStyle(element).fontFamily.startsWith("Marcellus"),
      );
      const own = inHeadingFont.flatMap((element) =>
        [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE),
      );
      return own.map((node) => node.textContent).join("");
    });
    const han = [...rendered].filter((character) => character > "\u2000");
    checked += han.length;
    expect(
      han.filter((character) => !drawn.includes(character)),
      path,
    ).toEqual([]);
  }
  expect(checked).toBeGreaterThan(100);
});
