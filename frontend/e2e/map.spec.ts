import { expect } from "@playwright/test";
import { test } from "./support/site.ts";

test("the illustrated map is 450 px high, and nothing goes to a third party unasked", async ({
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
  expect((await page.locator(".map").boundingBox())?.height).toBe(450);
  await expect(location.getByText(texts.map.scale)).toBeVisible();
  await expect(location.locator("iframe")).toHaveCount(0);
  await page.getByRole("contentinfo").scrollIntoViewIfNeeded();
  expect(elsewhere).toEqual([]);
});

test("the interactive map takes its place when asked, 450 px high, and goes again", async ({
  page,
  visit,
  texts,
}) => {
  // No test leaves this machine: the map's server is played.
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
