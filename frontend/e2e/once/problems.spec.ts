import { expect } from "@playwright/test";
import { test } from "../support/site.ts";

// These prove that every other test would notice.

test("a blocked script is noticed", async ({ registration, problems }) => {
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

test("a document that does not match its hydration is noticed", async ({ page, problems }) => {
  problems.expect(/Minified React error/);
  await page.route("/", async (route) => {
    const answer = await route.fetch();
    const html = await answer.text();
    await route.fulfill({ response: answer, body: html.replace(">Submit<", ">Send<") });
  });
  await page.goto("/");
  await expect
    .poll(() => problems.all())
    .toEqual([expect.stringContaining("Minified React error")]);
});
