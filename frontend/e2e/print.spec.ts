import { expect } from "@playwright/test";
import { test } from "./support/site.ts";

// The width of A4 between its margins, by which the printed page is laid out.
test.use({ viewport: { width: 680, height: 1009 } });

test("on paper no heading ends a page, and lists are whole", { tag: "@zh" }, async ({
  page,
  visit,
}) => {
  for (const path of ["/", "/floor-plans", "/privacy/2026-11-29"]) {
    await visit(path);
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate(brokenParts), path).toEqual([]);
    await page.emulateMedia({ media: null });
  }
});

/** Runs in the page: lays it out in columns of the size of a page, which break like pages, and finds what is torn apart. */
function brokenParts(): string[] {
  const root = document.getElementById("root") as HTMLElement;
  const width = 180 * (96 / 25.4);
  Object.assign(root.style, {
    columns: `${width}px auto`,
    columnGap: "0",
    columnFill: "auto",
    width: `${width}px`,
    height: "267mm",
  });
  const start = root.getBoundingClientRect().left;
  const pagesOf = (element: Element) =>
    new Set(
      [...element.getClientRects()].map(({ left }) => Math.floor((left - start + 1) / width)),
    );
  const isShown = (element: Element) => element.getClientRects().length > 0;
  const name = (element: Element) => element.textContent?.trim().slice(0, 40) ?? "";

  const shown = [...root.querySelectorAll("*")].filter(isShown);
  const lonely = shown
    .filter((element) => element.matches("h1, h2, h3, h4, summary"))
    .filter((heading) => {
      const next = shown.find(
        (element) =>
          heading.compareDocumentPosition(element) === Node.DOCUMENT_POSITION_FOLLOWING &&
          element.textContent?.trim() !== "",
      );
      const [page] = [...pagesOf(heading)].slice(-1);
      return next !== undefined && page !== undefined && !pagesOf(next).has(page);
    });
  const torn = shown.filter(
    (element) =>
      element.matches("ul, ol, dl, tbody, figure:not(.locality-map)") &&
      new Set([...element.querySelectorAll("*")].flatMap((part) => [...pagesOf(part)])).size > 1,
  );
  root.removeAttribute("style");
  return [
    ...lonely.map((heading) => `heading: ${name(heading)}`),
    ...torn.map((list) => `list: ${name(list)}`),
  ];
}
