import { expect, type Page } from "@playwright/test";
import type { FloorPlanId } from "#shared/content/floor-plans.ts";
import { roomPoints } from "#site/art/room-points.ts";
import { violationsOf } from "./support/axe.ts";
import { hydrated } from "./support/hydrated.ts";
import { test } from "./support/site.ts";

const PLAN: FloorPlanId = "C1";
const [FIRST = ["living", 0, 0, 0, 0], SECOND] = roomPoints[PLAN] ?? [];

const card = (page: Page) => page.locator(`article[id="${PLAN}"] .plan-link`);
const eye = (page: Page, view = FIRST[0]) => page.locator(`.plan-eye[data-view="${view}"]`);
const room = (page: Page) => page.locator(".plan-room");

/** Requests for pictures of rooms, and for the script that shows them. */
function watchRooms(page: Page): string[] {
  const requests: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/\/assets\/(plan-room|[a-z0-9]+-(living|bedroom|kitchen|balcony)-\d+)-/.test(pathname)) {
      requests.push(pathname);
    }
  });
  return requests;
}

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("two taps lead into a room, and Back leads out twice", { tag: "@zh" }, async ({
    page,
    visit,
    texts,
  }) => {
    const requests = watchRooms(page);
    await visit("/floor-plans");
    await hydrated(page);
    await card(page).tap();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expect(page.getByText(texts.plans.room.hint)).toBeVisible();
    expect(requests).toEqual([]);
    await eye(page).tap();
    await expect(room(page)).toContainText(texts.plans.room.caption);
    await expect(page).toHaveURL(new RegExp(`plan=${PLAN}&view=${FIRST[0]}`));
    await expect
      .poll(() =>
        room(page)
          .locator("picture img")
          .evaluate((image: HTMLImageElement) => image.naturalWidth),
      )
      .toBeGreaterThan(900);
    await expect(room(page).locator(".plan-room-preview")).toHaveCount(0);
    expect((await room(page).boundingBox())?.width).toBe(390);
    // The room slides up.
    await expect
      .poll(async () => {
        const box = await room(page).boundingBox();
        return Math.round((box?.y ?? 0) + (box?.height ?? 0));
      })
      .toBe(844);
    // The plan is still in sight, with the eye.
    await expect(eye(page)).toBeInViewport({ ratio: 1 });
    expect(await violationsOf(page, "dialog")).toEqual([]);

    await page.goBack();
    await expect(room(page)).toHaveCount(0);
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.goBack();
    await expect(page.getByRole("dialog")).toBeHidden();
  });
});

test("keys open a room, walk on and lead back to the eye", async ({ page, visit, texts }) => {
  await visit("/floor-plans");
  await hydrated(page);
  await card(page).focus();
  await page.keyboard.press("Enter");
  await eye(page).focus();
  await expect(eye(page)).toHaveAccessibleName(new RegExp(texts.plans.room.stand));
  await page.keyboard.press("Enter");
  await expect(room(page).getByRole("heading")).toBeFocused();
  await expect(eye(page)).toHaveAttribute("aria-current", "true");
  expect(await violationsOf(page, "dialog")).toEqual([]);
  if (SECOND) {
    await page.keyboard.press("ArrowRight");
    await expect(page).toHaveURL(new RegExp(`view=${SECOND[0]}`));
    // The address changes before the page does.
    const second = page.locator(`[data-view="${SECOND[0]}"]`);
    await expect(second).toHaveAttribute("aria-current", "true");
    await page.keyboard.press("ArrowLeft");
    await expect(page).toHaveURL(new RegExp(`view=${FIRST[0]}`));
    await expect(eye(page)).toHaveAttribute("aria-current", "true");
  }
  await page.keyboard.press("Escape");
  await expect(room(page)).toHaveCount(0);
  await expect(eye(page)).toBeFocused();
  // Without a room, the arrows turn to the next plan.
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("dialog", { name: texts.unit.C2N.heading })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("a shared address opens the room, and closing it leaves the plan", async ({
  page,
  language,
  texts,
}) => {
  await page.goto(`/floor-plans?plan=${PLAN}&view=${FIRST[0]}&lang=${language}`);
  // Its script has arrived.
  await expect(room(page).getByRole("heading")).toBeFocused();
  const plan = await page.locator(".viewer-stage").boundingBox();
  const shown = await room(page).boundingBox();
  expect(shown?.x).toBeGreaterThanOrEqual((plan?.x ?? 0) + (plan?.width ?? 0));
  await room(page).getByRole("button", { name: texts.plans.room.back }).click();
  await expect(room(page)).toHaveCount(0);
  await expect(page).toHaveURL(new RegExp(`plan=${PLAN}(?!.*view)`));
  await page.getByRole("button", { name: texts.viewer.close }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("on a tablet held upright a room is below its plan, on a phone held sideways alone", async ({
  page,
  language,
  texts,
}) => {
  const heightOf = async (selector: string) =>
    (await page.locator(selector).boundingBox())?.height ?? 0;
  await page.setViewportSize({ width: 768, height: 1024 });
  await page.goto(`/floor-plans?plan=${PLAN}&view=${FIRST[0]}&lang=${language}`);
  await expect(room(page).getByRole("heading")).toBeFocused();
  expect((await room(page).boundingBox())?.width).toBe(768);
  expect(await heightOf(".viewer-stage")).toBeGreaterThan(300);
  await page.setViewportSize({ width: 844, height: 390 });
  // The room slides up.
  const whole = { x: 0, y: 0, width: 844, height: 390 };
  await expect.poll(() => room(page).boundingBox()).toEqual(whole);
  expect(await heightOf(".plan-room-picture")).toBeGreaterThan(250);
  const ask = room(page).getByRole("link", { name: texts.plans.ask });
  await expect(ask).toBeInViewport({ ratio: 1 });
});

test("a view that the plan does not have shows only the plan", async ({ page, language }) => {
  await page.goto(`/floor-plans?plan=${PLAN}&view=cellar&lang=${language}`);
  await expect(page.getByRole("dialog")).toBeVisible();
  await expect(room(page)).toHaveCount(0);
});

test("a room appears without motion for visitors who ask for none", async ({ page, language }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`/floor-plans?plan=${PLAN}&view=${FIRST[0]}&lang=${language}`);
  await expect(room(page)).toHaveCSS("animation-name", "none");
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the page of the plans lists the rooms as pictures", async ({ page, visit, texts }) => {
    await visit("/floor-plans");
    const list = page.locator(`article[id="${PLAN}"]`).getByRole("list");
    await expect(list.getByRole("link")).toHaveCount(roomPoints[PLAN]?.length ?? 0);
    await expect(list.getByRole("link").first()).toContainText(texts.plans.room.living.heading);
  });
});
