import { expect } from "@playwright/test";
import { hydrated } from "./support/hydrated.ts";
import { test } from "./support/site.ts";

// These tests check that a problem would fail every other test.

test("detects a blocked script", async ({ registration, problems }) => {
  problems.expect(/Content Security Policy/);
  await registration.page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.intruder = true";
    document.body.append(script);
  });
  await expect
    .poll(() => problems.all())
    .toEqual([expect.stringContaining("Content Security Policy")]);
  expect(await registration.page.evaluate(() => "intruder" in window)).toBe(false);
});

test("detects a hydration mismatch", async ({ page, problems }) => {
  problems.expect(/Minified React error/);
  await page.route("/", async (route) => {
    const answer = await route.fetch();
    const html = await answer.text();
    await route.fulfill({ response: answer, body: html.replace(">Submit<", ">Send<") });
  });
  await page.goto("/");
  await hydrated(page);
  await expect
    .poll(() => problems.all())
    .toEqual([expect.stringContaining("Minified React error")]);
});

test("a page reports its errors without their messages", async ({ page, problems }) => {
  problems.expect(/wei@example.com/);
  await page.goto("/");
  await hydrated(page);
  for (const [kind, fail] of [
    ["rejection", () => void Promise.reject(new TypeError("wei@example.com"))],
    [
      "uncaught",
      () => {
        document.body.addEventListener("click", () => {
          throw new TypeError("wei@example.com");
        });
        document.body.click();
      },
    ],
  ] as const) {
    const report = page.waitForRequest("**/functions/v1/browser-error");
    await page.evaluate(fail);
    expect((await report).postDataJSON()).toMatchObject({ kind, name: "TypeError", page: "home" });
    expect((await report).postData()).not.toContain("wei@");
    await expect.poll(async () => (await (await report).response())?.status()).toBe(204);
  }
});
