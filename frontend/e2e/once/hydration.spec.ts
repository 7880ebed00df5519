import { expect } from "@playwright/test";
import { hydrated } from "../support/hydrated.ts";
import { test } from "../support/site.ts";

test("nothing moves when the script comes, and it comes when the page is used", async ({
  page,
}) => {
  const scripts: string[] = [];
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route("**/assets/*.js", async (route) => {
    scripts.push(new URL(route.request().url()).pathname);
    await held;
    await route.continue();
  });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/", { waitUntil: "commit" });
  const footer = page.getByRole("contentinfo");
  const top = () => footer.evaluate((element) => (element as HTMLElement).offsetTop);
  await page.evaluate(() => document.fonts.ready);
  const before = await top();
  letThrough();
  await expect(page.locator("#blog time")).toHaveText(/^\d+ \w{3} \d{4}$/);
  await page.waitForLoadState("networkidle");
  expect(scripts.filter((path) => /libraries|entry-client|contact|sections/.test(path))).toEqual(
    [],
  );
  expect(await top()).toBe(before);
  await hydrated(page);
  expect(scripts.some((path) => path.includes("contact"))).toBe(true);
  expect(await top()).toBe(before);
  await expect(page.locator("#blog time")).toHaveText(/^\d+ \w{3} \d{4}$/);
});

test("a change of language waits until every part is live: none is rendered anew", async ({
  page,
}) => {
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route("**/assets/contact-*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("/");
  await page.mouse.move(5, 5);
  const footer = page.getByRole("contentinfo");
  await expect
    .poll(() => footer.evaluate((it) => Object.keys(it).some((key) => key.startsWith("__react"))))
    .toBe(true);
  await page.locator("#name").evaluate((input: HTMLInputElement) => {
    input.value = "Mei";
    input.dataset["mark"] = "the same element";
  });
  await page.getByRole("banner").getByRole("button", { name: "中文" }).click();
  await expect(page.locator("#contact-heading")).toHaveText("Register your Interest Now");
  letThrough();
  await expect(page.locator("#contact-heading")).toHaveText("立即登记意向");
  await expect(page.locator("#name")).toHaveValue("Mei");
  await expect(page.locator("#name")).toHaveAttribute("data-mark", "the same element");
});

test("a part whose script does not come at first becomes live later", async ({
  page,
  problems,
}) => {
  problems.expect(/ERR_FAILED/);
  let failures = 0;
  await page.route("**/assets/contact-*.js", async (route) => {
    failures += 1;
    await (failures === 1 ? route.abort() : route.continue());
  });
  await page.goto("/");
  await hydrated(page);
  expect(failures).toBe(2);
});

test("the session has the page and the campaign that were opened first", async ({ page }) => {
  const begun = page.waitForRequest("**/auth/v1/session");
  await page.goto("/?utm_source=news");
  // A link that is followed before the page is live.
  await page.goto("/floor-plans");
  await hydrated(page);
  expect((await begun).postDataJSON()).toMatchObject({
    landing_path: "/",
    utm: { source: "news" },
  });
});
