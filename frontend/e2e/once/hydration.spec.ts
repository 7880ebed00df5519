import { expect } from "@playwright/test";
import { hydrated } from "../support/hydrated.ts";
import { test } from "../support/site.ts";

test("nothing moves when the script comes, and nothing of a part comes before it is wanted", async ({
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
  await expect(page.locator("#blog time")).toBeVisible();
  expect(scripts.filter((path) => /contact|sections|floor-plans/.test(path))).toEqual([]);
  await hydrated(page);
  expect(scripts.some((path) => path.includes("contact"))).toBe(true);
  expect(await top()).toBe(before);
});

test("a change of language waits until every part is live: none is rendered anew", async ({
  page,
}) => {
  await page.goto("/");
  await expect(page.locator("#blog time")).toBeVisible();
  await page.locator("#name").evaluate((input: HTMLInputElement) => {
    input.value = "Mei";
    input.dataset["mark"] = "the same element";
  });
  await page.getByRole("banner").getByRole("button", { name: "中文" }).click();
  await expect(page.locator("#contact-heading")).toHaveText("即刻登记意向");
  await expect(page.locator("#name")).toHaveValue("Mei");
  await expect(page.locator("#name")).toHaveAttribute("data-mark", "the same element");
});
