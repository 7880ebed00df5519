import { expect, type Page } from "@playwright/test";
import { type FloorPlanId, planFile } from "#shared/content/floor-plans.ts";
import { languages } from "#shared/i18n/language.ts";
import { holdRequests, hydrated } from "./support/hydrated.ts";
import { expectNoOverflow } from "./support/overflow.ts";
import { test } from "./support/site.ts";

// Copied by hand from the table of the specification.
const units: [FloorPlanId, name: string, size: string, bedrooms: number, bathrooms: number][] = [
  ["A1", "1 Bedroom Compact A1", "527", 1, 1],
  ["A2", "1 Bedroom Deluxe A2", "581", 1, 1],
  ["A3", "1 Bedroom Premium A3", "614", 1, 1],
  ["B1", "2 Bedroom Compact B1", "721", 2, 2],
  ["B2", "2 Bedroom Deluxe B2", "829", 2, 2],
  ["C1", "3 Bedroom Deluxe C1", "1,119", 3, 2],
  ["C2N", "3 Bedroom Premium + Study C2N", "1,324", 3, 3],
  ["D1", "4 Bedroom Deluxe D1", "1,636", 4, 3],
  ["D2", "4 Bedroom Premium D2", "1,733", 4, 4],
  ["PH1", "5 Bedroom Penthouse PH1", "2,616", 5, 4],
  ["PH2", "PH2", "2,745", 5, 5],
  ["PH3", "PH3", "2,874", 5, 5],
];

const card = (page: Page, id: FloorPlanId) => page.locator(`article[id="${id}"]`);

test.beforeEach(async ({ visit }) => visit("/floor-plans"));

test("twelve cards show every field of their unit", async ({ page, texts }) => {
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.plans.heading);
  await expect(page.getByText(texts.plans.subtitle)).toBeVisible();
  await expect(page.getByRole("article")).toHaveCount(12);
  for (const [index, [id, name, size, bedrooms, bathrooms]] of units.entries()) {
    const shown = page.getByRole("article").nth(index);
    await expect(shown).toHaveAttribute("id", id);
    const text = ((await shown.textContent()) ?? "").replaceAll("\u00a0", " ");
    expect(texts.unit[id].heading.replaceAll("\u00a0", " ")).toBe(name);
    expect(text).toContain(`${size} sq ft`);
    expect(text).toContain(`${bedrooms} bedroom${bedrooms > 1 ? "s" : ""}`);
    expect(text).toContain(`${bathrooms} bathroom${bathrooms > 1 ? "s" : ""}`);
    await expect(shown.getByRole("heading")).toHaveText(texts.unit[id].heading);
    expect(text).toContain(texts.plans.about[id].replaceAll("\u00a0", " "));
    await shown.scrollIntoViewIfNeeded();
    const types = Object.values(texts.plans.type).map((type) => type.replaceAll("\u00a0", " "));
    const type = shown.locator(".plan-type");
    await expect(type).toBeInViewport({ ratio: 1 });
    expect(types).toContain(((await type.textContent()) ?? "").replaceAll("\u00a0", " "));
    const picture = shown.locator("img");
    await picture.scrollIntoViewIfNeeded();
    await expect
      .poll(() => picture.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth > 0))
      .toBe(true);
  }
});

test("the grid begins on the first screen, and its cards are complete", { tag: "@zh" }, async ({
  page,
  texts,
}) => {
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.plans.heading);
  for (const [width, height] of [
    [1366, 800],
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    const first = await page.locator(".plan-grid").boundingBox();
    expect(first?.y, `at ${width}`).toBeLessThan(height - 100);
    await expect(page.getByText(texts.plans.subtitle)).toBeVisible();
    await expectNoOverflow(page);
    const shown = await page.getByRole("article").evaluateAll(visibleParts);
    expect(shown, `at ${width}`).toEqual(
      units.map(([id]) => [id, texts.unit[id].heading, texts.plans.about[id], []]),
    );
  }
});

/** Runs in the page: id, heading, description and hidden parts of each card. */
function visibleParts(cards: Element[]) {
  const parts = ["img", ".plan-type", "h2", ".plan-area", ".plan-foot p", ".plan-rooms"];
  const isShown = (element: Element | null) => {
    const { left = -1, right = 0, width = 0 } = element?.getBoundingClientRect() ?? {};
    return element?.checkVisibility() && left >= 0 && width > 0 && right <= window.innerWidth;
  };
  return cards.map((card) => [
    card.id,
    card.querySelector("h2")?.textContent,
    card.querySelector(".plan-foot p")?.textContent,
    parts.filter((part) => !isShown(card.querySelector(part))),
  ]);
}

test("plans of one type have one scale, in two columns or one on a phone", { tag: "@zh" }, async ({
  page,
}) => {
  const measured = () =>
    page.getByRole("article").evaluateAll((cards) =>
      cards.map((card) => {
        const img = card.querySelector("img") as HTMLImageElement;
        return {
          type: card.querySelector(".plan-type")?.textContent ?? "",
          scale: img.getBoundingClientRect().width / Number(img.getAttribute("width")),
          left: card.getBoundingClientRect().left,
        };
      }),
    );
  for (const [width, columns] of [
    [1440, 2],
    [390, 1],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    const cards = await measured();
    expect(new Set(cards.map(({ left }) => left)).size, `columns at ${width}`).toBe(columns);
    const types = new Set(cards.map(({ type }) => type));
    expect(types.size).toBe(5);
    for (const type of types) {
      const scales = cards.filter((card) => card.type === type).map(({ scale }) => scale);
      expect(Math.max(...scales) / Math.min(...scales), `${type} at ${width}`).toBeLessThan(1.01);
    }
  }
});

test("'Download Plan' appears on hover and on focus, and only logs", { tag: "@zh" }, async ({
  page,
  texts,
}) => {
  const messages: string[] = [];
  page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
  let downloads = 0;
  page.on("download", () => {
    downloads += 1;
  });
  const first = card(page, "A1");
  const button = first.getByRole("button", { name: texts.plans.download });
  await expect(button).toHaveCSS("opacity", "0");
  await first.hover();
  await expect(button).toHaveCSS("opacity", "1");
  await button.click();
  await expect.poll(() => messages).toEqual([expect.stringMatching(/^log: .*A1/)]);

  await page.mouse.move(0, 0);
  await page.getByRole("heading", { level: 1 }).click();
  const second = card(page, "A2").getByRole("button", { name: texts.plans.download });
  await expect(second).toHaveCSS("opacity", "0");
  await second.focus();
  await expect(second).toHaveCSS("opacity", "1");
  await page.keyboard.press("Enter");
  await expect.poll(() => messages).toHaveLength(2);
  expect(messages[1]).toMatch(/^log: .*A2/);
  expect(downloads).toBe(0);
  // No sheet is published while downloads are off.
  for (const language of languages) {
    for (const [id] of units) {
      expect((await page.request.get(planFile(id, language))).status(), id).toBe(404);
    }
  }
});

test.describe("on a touch screen", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("shows 'Download Plan', and a viewer that a tap opens and Back closes", async ({
    page,
    texts,
  }) => {
    const button = card(page, "A1").getByRole("button", { name: texts.plans.download });
    await expect(button).toHaveCSS("opacity", "1");
    await card(page, "B1").locator(".plan-link").tap();
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.goBack();
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.plans.heading);
  });

  test("the viewer has one row above and one below the plan", async ({ page }) => {
    for (const [width, height, least] of [
      [390, 844, 560],
      [360, 640, 360],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.goto(`/floor-plans?plan=C2N&lang=${width === 390 ? "en" : "zh"}`);
      const stage = await page.locator(".viewer-stage").boundingBox();
      expect(stage?.width).toBe(width);
      expect(stage?.height).toBeGreaterThanOrEqual(least);
      const rows = await page
        .locator(":is(.viewer-head, .viewer-foot)")
        .evaluateAll((all) => all.map((row) => row.clientHeight));
      expect(Math.max(...rows)).toBeLessThanOrEqual(76);
      // A shared address opens without a frame around a link.
      await expect(page.getByRole("dialog").getByRole("heading")).toBeFocused();
    }
  });

  test("the buttons of the viewer contain their texts", async ({ page, language }) => {
    for (const width of [320, 360, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`/floor-plans?plan=C1&lang=${language}`);
      const buttons = page.locator(".plan-dialog-actions > *");
      await expect(buttons).toHaveCount(3);
      expect(await buttons.evaluateAll(overfull), `at ${width}`).toEqual([]);
    }
  });
});

/** Runs in the page: the elements whose text comes closer than 8 px to an edge. */
function overfull(elements: Element[]): string[] {
  return elements
    .filter((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const text = range.getBoundingClientRect();
      const { left, right } = element.getBoundingClientRect();
      return text.left < left + 8 || text.right > right - 8;
    })
    .map(({ textContent }) => textContent ?? "");
}

test.describe("the viewer", () => {
  test("opens, zooms, steps and closes by keyboard, and zooms on a double click", async ({
    page,
    texts,
  }) => {
    const opener = card(page, "C1").locator(".plan-link");
    await opener.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: texts.unit.C1.heading });
    await expect(dialog).toBeVisible();
    await expect(dialog).toContainText("1,119");
    await expect(dialog).toContainText(/6\D+12/);

    const drawing = dialog.locator("img");
    const box = async () => (await drawing.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const atFirst = await box();
    expect(atFirst.width).toBeGreaterThan(100);
    await page.keyboard.press("+");
    const enlarged = await box();
    expect(enlarged.width).toBeCloseTo(2 * atFirst.width, 0);
    expect(enlarged.x + enlarged.width / 2).toBeCloseTo(atFirst.x + atFirst.width / 2, -1);
    await page.keyboard.press("ArrowDown");
    await expect.poll(async () => (await box()).y).toBeLessThan(enlarged.y - 50);
    // The viewer steps only when the whole drawing is shown.
    await page.keyboard.press("ArrowRight");
    await expect(dialog).toBeVisible();
    await page.keyboard.press("+");
    await expect(dialog.locator("output")).toHaveText("300%");
    await page.keyboard.press("-");
    await expect(dialog.locator("output")).toHaveText("200%");
    await page.keyboard.press("0");
    expect(await box()).toEqual(atFirst);

    const point = { x: atFirst.width / 2, y: atFirst.height / 4 };
    await drawing.dblclick({ position: point });
    const zoomed = await box();
    expect(zoomed.width).toBeCloseTo(2 * atFirst.width, 0);
    expect(zoomed.y + 2 * point.y).toBeCloseTo(atFirst.y + point.y, -1);
    await drawing.dblclick({ position: point });
    expect(await box()).toEqual(atFirst);

    await page.keyboard.press("ArrowRight");
    await expect(page.getByRole("dialog", { name: texts.unit.C2N.heading })).toBeVisible();
    await page.keyboard.press("ArrowLeft");
    await expect(dialog).toBeVisible();
    await page.keyboard.press("ArrowLeft");
    await expect(page.getByRole("dialog", { name: texts.unit.B2.heading })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
    // The focus goes to the plan that the viewer showed last.
    await expect(card(page, "B2").locator(".plan-link")).toBeFocused();
    await expect(card(page, "B2")).toBeInViewport();
  });

  test("opens on a tap before hydration", async ({ page, language, texts }) => {
    const release = await holdRequests(page, "**/assets/*.js");
    await page.goto(`/floor-plans?lang=${language}`, { waitUntil: "commit" });
    await card(page, "B1").locator(".plan-link").click();
    await expect(page).toHaveURL(/\/floor-plans\?plan=B1/);
    release();
    await expect(page.getByRole("dialog")).toContainText(texts.unit.B1.heading);
  });
});

test("the filter ignores case, like nginx", async ({ page, language }) => {
  const reports: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("browser-error")) {
      reports.push(request.postData() ?? "");
    }
  });
  await page.goto(`/floor-plans?Bedrooms=2&lang=${language}`);
  await hydrated(page);
  await expect(page.getByRole("article")).toHaveCount(2);
  expect(reports).toEqual([]);
});

test("the call to action leads to the form, the footer to the developer", {
  tag: "@zh",
}, async ({ page, language, texts }) => {
  await hydrated(page);
  const search = { en: "", zh: "?lang=zh" }[language];
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    await expect(page.getByRole("heading", { name: texts.visit.heading })).toBeVisible();
    const button = page
      .getByRole("main")
      .getByRole("button", { name: texts.visit.button })
      .filter({ visible: true });
    await expect(button).toHaveAttribute("href", `/${search}#contact-form`);
    await button.click();
    await expect(page).toHaveURL((url) => url.href.endsWith(`/${search}#contact-form`));
    const heading = page.getByRole("heading", { name: texts.contact.heading });
    await expect(heading).toBeInViewport();
    await expect(page.locator("#contact-form input:checked")).toHaveCount(0);
    const bar = await page.getByRole("banner").boundingBox();
    await expect
      .poll(async () => (await heading.boundingBox())?.y ?? 0)
      .toBeGreaterThan(bar?.height ?? 0);
    await page.goBack();

    const footer = page.getByRole("contentinfo");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.plans.heading);
    await expect(footer.getByText(texts.footer.copyright)).toBeVisible();
    await expect(footer.locator(".wordmark")).toBeVisible();
    await footer.getByRole("link", { name: texts.footer.aboutDeveloper }).click();
    await expect(page).toHaveURL((url) => url.pathname === "/" && url.hash === "#developer");
    await expect(page.getByRole("heading", { name: texts.information.heading })).toBeInViewport();
    await page.goBack();
  }
});

test("prints every drawing, without bar, buttons and footer", async ({ page }) => {
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("banner")).toBeHidden();
  await expect(page.getByRole("contentinfo")).toBeHidden();
  await expect(page.getByRole("button").filter({ visible: true })).toHaveCount(0);
  const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
  const sheets = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  expect(sheets).toBeGreaterThanOrEqual(6);
  expect(sheets).toBeLessThanOrEqual(8);
});
