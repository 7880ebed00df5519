import { expect } from "@playwright/test";
import { frame, scaleBar } from "../../../art/map/locality.ts";
import { test } from "../support/site.ts";

test("the illustrated map loads nothing from other hosts", async ({
  page,
  baseURL,
  visit,
  texts,
}) => {
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(`${baseURL}/`) && !request.url().startsWith("data:")) {
      elsewhere.push(request.url());
    }
  });
  await visit("/");
  const location = page.locator("#central-region");
  const picture = location.getByRole("img", { name: texts.map.picture });
  await picture.scrollIntoViewIfNeeded();
  await expect
    .poll(() => picture.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth > 0))
    .toBe(true);
  expect(await page.locator(".map").evaluate((map) => map.clientHeight)).toBe(450);
  await expect(location.getByText(texts.map.scale)).toBeVisible();
  await expect(location.locator("iframe")).toHaveCount(0);
  await page.getByRole("contentinfo").scrollIntoViewIfNeeded();
  expect(elsewhere).toEqual([]);
});

test("the interactive map opens in place, 450 px high, and closes", async ({
  page,
  visit,
  texts,
}) => {
  // Tests use no other hosts, so this stands in for the map's server.
  await page.route("https://www.openstreetmap.org/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<p>the map</p>" }),
  );
  await visit("/");
  const location = page.locator("#central-region");
  await location.getByRole("button", { name: texts.map.open }).click();
  const frame = location.locator("iframe");
  await expect(frame).toHaveAttribute("title", texts.map.title);
  await expect(frame.contentFrame().getByText("the map")).toBeVisible();
  expect((await frame.boundingBox())?.height).toBe(450);
  await location.getByRole("button", { name: texts.map.close }).click();
  await expect(frame).toHaveCount(0);
  await expect(location.getByRole("button", { name: texts.map.open })).toBeFocused();
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
  await location.getByRole("button", { name: texts.map.open }).click();
  await expect(location.getByRole("status")).toHaveText(texts.map.failed);
  await expect(location.getByRole("img", { name: texts.map.picture })).toBeVisible();
  await expect(location.locator("iframe")).toHaveCount(0);
  await expect(location.getByRole("link", { name: /openstreetmap\.org/ })).toHaveAttribute(
    "href",
    /^https:\/\/www\.openstreetmap\.org\//,
  );
});

for (const width of [320, 390, 768, 1024, 1440, 1600, 1920, 2560]) {
  test(`map labels are complete and do not overlap at ${width} px`, async ({ page, visit }) => {
    await page.setViewportSize({ width, height: 900 });
    await visit("/");
    // In one call and after the fonts have loaded, because loading fonts moves the map.
    const { stage, labels } = await page.locator(".map").evaluate(async (map) => {
      await document.fonts.ready;
      const drawn = [...map.querySelectorAll(".map-label")].filter((label) =>
        label.checkVisibility(),
      );
      const labels = drawn.map((label) => {
        const { left, right, top, bottom } = label.getBoundingClientRect();
        return { text: label.textContent, left, right, top, bottom };
      });
      const { left, right, top, bottom } = map.getBoundingClientRect();
      return { stage: { left, right, top, bottom }, labels };
    });
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
  });
}

test("the scale bar and the picture have the same scale", async ({ page, visit }) => {
  await page.setViewportSize({ width: 1920, height: 900 });
  await visit("/");
  const picture = await page.locator(".map-picture").boundingBox();
  const bar = await page.locator(".map-scale-bar").boundingBox();
  if (picture === null || bar === null) {
    throw new Error("the map is not drawn");
  }
  expect(bar.width / scaleBar).toBeCloseTo(picture.width / frame.width, 3);
  expect(picture.height / frame.height).toBeCloseTo(picture.width / frame.width, 3);
});
