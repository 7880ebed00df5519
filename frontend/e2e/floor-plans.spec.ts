import { expect, type Page } from "@playwright/test";
import { type FloorPlanId, planFile } from "#content/floor-plans.ts";
import { hydrated } from "./support/hydrated.ts";
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

test.beforeEach(async ({ visit, javaScriptEnabled }) => {
  if (javaScriptEnabled !== false) {
    await visit("/floor-plans");
  }
});

test("the page has title and subtitle", async ({ page, texts }) => {
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.plans.heading);
  await expect(page.getByText(texts.plans.subtitle)).toBeVisible();
});

test("plans of one type are drawn to one scale", async ({ page }) => {
  const scales = await page.getByRole("article").evaluateAll((cards) => {
    const byType: Record<string, number[]> = {};
    for (const card of cards) {
      const type = card.querySelector(".plan-type")?.textContent ?? "";
      const img = card.querySelector("img") as HTMLImageElement;
      const scale = img.getBoundingClientRect().width / Number(img.getAttribute("width"));
      byType[type] = [...(byType[type] ?? []), scale];
    }
    return Object.values(byType);
  });
  expect(scales).toHaveLength(5);
  for (const type of scales) {
    expect(Math.max(...type) / Math.min(...type)).toBeLessThan(1.01);
  }
});

test("twelve cards show every field of their unit", async ({ page, language, texts }) => {
  await expect(page.getByRole("article")).toHaveCount(12);
  for (const [index, [id, name, size, bedrooms, bathrooms]] of units.entries()) {
    const shown = page.getByRole("article").nth(index);
    await expect(shown).toHaveAttribute("id", id);
    const text = ((await shown.textContent()) ?? "").replaceAll("\u00a0", " ");
    if (language === "en") {
      expect(texts.unit[id].heading.replaceAll("\u00a0", " ")).toBe(name);
      expect(text).toContain(`${size} sq ft`);
      expect(text).toContain(`${bedrooms} bedroom${bedrooms > 1 ? "s" : ""}`);
      expect(text).toContain(`${bathrooms} bathroom${bathrooms > 1 ? "s" : ""}`);
    } else {
      expect(text).toContain(`${size} 平方英尺`);
      expect(text).toContain(`${bedrooms}间卧室，${bathrooms}间浴室`);
    }
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

test("the grid has two columns, and one on a phone", async ({ page }) => {
  const columns = () =>
    page
      .getByRole("article")
      .evaluateAll((cards) => new Set(cards.map((each) => each.getBoundingClientRect().left)).size);
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await columns()).toBe(2);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await columns()).toBe(1);
});

test("'Download Plan' appears on hover and on focus, and only logs", async ({ page, texts }) => {
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
});

test("sheets are not published while downloads are off", async ({ page, language }) => {
  for (const [id] of units) {
    expect((await page.request.get(planFile(id, language))).status(), id).toBe(404);
  }
});

test.describe("on a touch screen", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("'Download Plan' is always visible", async ({ page, texts }) => {
    const button = card(page, "A1").getByRole("button", { name: texts.plans.download });
    await expect(button).toHaveCSS("opacity", "1");
  });

  test("a tap opens the viewer, and Back closes it", async ({ page, texts }) => {
    await card(page, "B1").locator(".plan-link").tap();
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.goBack();
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.plans.heading);
  });
});

test.describe("the viewer", () => {
  test("opens, zooms, steps and closes by keyboard", async ({ page, texts }) => {
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
    await page.keyboard.press("0");
    expect(await box()).toEqual(atFirst);

    await page.keyboard.press("ArrowRight");
    await expect(page.getByRole("dialog", { name: texts.unit.C2N.heading })).toBeVisible();
    await page.keyboard.press("ArrowLeft");
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(opener).toBeFocused();
  });

  test("has buttons to zoom, step and close", async ({ page, texts: { unit, viewer } }) => {
    await card(page, "PH3").locator(".plan-link").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: viewer.zoomIn }).click();
    await expect(dialog).toContainText("200%");
    await dialog.getByRole("button", { name: viewer.zoomOut }).click();
    await expect(dialog).toContainText("100%");
    await dialog.getByRole("button", { name: viewer.previous }).click();
    await expect(dialog).toContainText(unit.PH2.heading);
    await dialog.getByRole("button", { name: viewer.close }).click();
    await expect(dialog).toBeHidden();
    await expect(card(page, "PH2").locator(".plan-link")).toBeFocused();
    await expect(card(page, "PH2")).toBeInViewport();
  });

  test("zooms in on the pointer on a double click", async ({ page }) => {
    await card(page, "C1").locator(".plan-link").click();
    const drawing = page.getByRole("dialog").locator("img");
    const before = (await drawing.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const point = { x: before.width / 2, y: before.height / 4 };
    await drawing.dblclick({ position: point });
    const after = (await drawing.boundingBox()) ?? before;
    expect(after.width).toBeCloseTo(2 * before.width, 0);
    expect(after.y + 2 * point.y).toBeCloseTo(before.y + point.y, -1);
  });

  test("steps through the filtered plans", async ({ page, visit, texts }) => {
    await visit("/floor-plans");
    const filter = page.getByRole("navigation", { name: texts.plans.table.filter });
    await filter.getByRole("link").nth(1).click();
    await card(page, "A2").locator(".plan-link").click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText(/2\D+3/);
    await page.keyboard.press("ArrowRight");
    await expect(dialog).toContainText(/3\D+3/);
    await page.keyboard.press("ArrowRight");
    await expect(dialog).toContainText(texts.unit.A1.heading);
    await page.goBack();
    await expect(dialog).toHaveCount(0);
    await expect(card(page, "A1").locator(".plan-link")).toBeFocused();
    await page.goForward();
    await expect(dialog).toContainText(texts.unit.A1.heading);
    await page.reload();
    await expect(dialog).toContainText(texts.unit.A1.heading);
  });

  test("opens on a tap before hydration", async ({ page, language, texts }) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/assets/*.js", async (route) => {
      await released;
      await route.continue();
    });
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

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a plan links to its large drawing", async ({ page, language }) => {
    await page.goto(`/floor-plans?lang=${language}`);
    await card(page, "C2N").locator(".plan-picture").click();
    await expect(page).toHaveURL(new RegExp(`/assets/c2n-large-${language}-.+\\.svg$`));
  });
});

test("the call to action scrolls to the form, below the bar", async ({ page, texts }) => {
  await expect(page.getByRole("heading", { name: texts.visit.heading })).toBeVisible();
  await page.getByRole("main").getByRole("button", { name: texts.visit.button }).click();
  await expect(page).toHaveURL((url) => url.pathname === "/" && url.hash === "#contact-form");
  const heading = page.getByRole("heading", { name: texts.contact.heading });
  await expect(heading).toBeInViewport();
  const bar = await page.getByRole("banner").boundingBox();
  await expect
    .poll(async () => (await heading.boundingBox())?.y ?? 0)
    .toBeGreaterThan(bar?.height ?? 0);
});

test("the footer links to the developer", async ({ page, texts }) => {
  const footer = page.getByRole("contentinfo");
  await expect(footer).toContainText(texts.footer.copyright);
  await footer.getByRole("link", { name: texts.footer.aboutDeveloper }).click();
  await expect(page).toHaveURL((url) => url.pathname === "/" && url.hash === "#developer");
  await expect(page.getByRole("heading", { name: texts.information.heading })).toBeInViewport();
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
