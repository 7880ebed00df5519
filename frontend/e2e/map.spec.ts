import { expect } from "@playwright/test";
import { frame, scaleBar } from "../../art/map/locality.ts";
import { hydrated } from "./support/hydrated.ts";
import { test } from "./support/site.ts";

test("the map is embedded, 450 px high, when its section comes near", async ({
  page,
  baseURL,
  visit,
  texts,
}) => {
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(`${baseURL}/`) && !request.url().startsWith("data:")) {
      elsewhere.push(new URL(request.url()).host);
    }
  });
  await visit("/");
  await hydrated(page);
  const location = page.locator("#central-region");
  const map = page.locator(".map");
  expect(elsewhere).toEqual([]);
  expect(await map.evaluate((element) => element.clientHeight)).toBe(450);

  await location.scrollIntoViewIfNeeded();
  const frame = location.locator("iframe");
  await expect(frame).toHaveAttribute("title", texts.map.title);
  await expect(frame.contentFrame().getByText("the map")).toBeVisible();
  expect((await frame.boundingBox())?.height).toBe(450);
  await expect(
    location.getByText(texts.map.shown.replace("{{host}}", "openstreetmap.org")),
  ).toBeVisible();
  expect(new Set(elsewhere)).toEqual(new Set(["www.openstreetmap.org"]));

  await location.getByRole("button", { name: texts.map.close }).click();
  await expect(frame).toHaveCount(0);
  await expect(location.getByRole("img", { name: texts.map.picture })).toBeVisible();
  await expect(location.getByText(texts.map.scale)).toBeVisible();
  const open = location.getByRole("button", { name: texts.map.open });
  await expect(open).toBeFocused();
  await open.click();
  await expect(frame).toHaveCount(1);
});

test("an unreachable map leaves the illustrated map and a plain link", async ({
  page,
  visit,
  texts,
  problems,
}) => {
  problems.expect(/ERR_FAILED/);
  await page.route("https://www.openstreetmap.org/**", (route) => route.abort());
  await visit("/");
  const location = page.locator("#central-region");
  await location.scrollIntoViewIfNeeded();
  await expect(location.getByRole("status")).toHaveText(texts.map.failed);
  await expect(location.getByRole("img", { name: texts.map.picture })).toBeVisible();
  await expect(location.locator("iframe")).toHaveCount(0);
  await expect(location.getByRole("link", { name: /openstreetmap\.org/ })).toHaveAttribute(
    "href",
    /^https:\/\/www\.openstreetmap\.org\//,
  );
});

test("map labels are complete and do not overlap, and the scale bar is exact", {
  tag: "@zh",
}, async ({ page, visit }) => {
  await visit("/");
  for (const width of [320, 390, 768, 1024, 1440, 1600, 1920, 2560]) {
    await test.step(`at ${width} px`, async () => {
      await page.setViewportSize({ width, height: 900 });
      // In one call and after the fonts have loaded, because loading fonts moves the map.
      const measured = await page.locator(".map").evaluate(measureMap);
      const { stage, labels, picture, bar } = measured;
      expect(labels.length).toBeGreaterThanOrEqual(9);
      for (const [index, label] of labels.entries()) {
        const inside =
          label.left >= stage.left &&
          label.right <= stage.right &&
          label.top >= stage.top &&
          label.bottom <= stage.bottom;
        expect(inside, `${label.text} is inside the map`).toBe(true);
        for (const other of labels.slice(index + 1)) {
          const apart =
            label.right <= other.left ||
            other.right <= label.left ||
            label.bottom <= other.top ||
            other.bottom <= label.top;
          expect(apart, `${label.text} and ${other.text} do not overlap`).toBe(true);
        }
      }
      expect(bar.width / scaleBar).toBeCloseTo(picture.width / frame.width, 3);
      expect(picture.height / frame.height).toBeCloseTo(picture.width / frame.width, 3);
    });
  }
});

/** Runs in the page: the boxes of the map, its picture, its scale bar and its visible labels. */
async function measureMap(map: Element) {
  const boxOf = (element: Element) => {
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    return { left, right, top, bottom, width, height };
  };
  const part = (selector: string) => boxOf(document.querySelector(selector) as Element);
  await document.fonts.ready;
  const labels = [...map.querySelectorAll(".map-label")].filter((label) => label.checkVisibility());
  return {
    stage: boxOf(map),
    picture: part(".map-picture"),
    bar: part(".map-scale-bar"),
    labels: labels.map((label) => ({ text: label.textContent, ...boxOf(label) })),
  };
}
