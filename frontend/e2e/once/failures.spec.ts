import type { Route } from "@playwright/test";
import { expect } from "@playwright/test";
import { deliveredLeadOf, leadsOf } from "../support/leads.ts";
import { entry, LEADS_PATH } from "../support/registration-page.ts";
import { test } from "../support/site.ts";

function refusal(status: number, code: string, headers: Record<string, string> = {}) {
  return (route: Route) =>
    route.fulfill({ status, headers, json: { error: { code, message: code } } });
}

test("503 and 429 are tried again with the same key until the lead is in", async ({
  registration,
  problems,
}) => {
  problems.expect(/status of (503|429)/);
  const answers = [
    refusal(503, "unavailable", { "Retry-After": "1" }),
    refusal(429, "rate_limited", { "Retry-After": "1" }),
  ];
  await registration.page.route(LEADS_PATH, (route) =>
    (answers.shift() ?? ((r) => r.continue()))(route),
  );
  const lead = entry();
  await registration.fill(lead);
  await registration.submit();
  await expect(registration.submitButton).toHaveText(registration.texts.registration.submitting);
  await expect(registration.submitButton).toBeDisabled();
  const reference = await registration.expectAccepted();
  expect(registration.sent).toHaveLength(3);
  expect(new Set(registration.keys()).size).toBe(1);
  expect(await deliveredLeadOf(lead.email)).toMatchObject({ reference });
});

test("a lasting failure ends after three tries, keeps the values and says so", async ({
  registration,
  problems,
  texts,
}) => {
  problems.expect(/status of 503/, /registration not sent 503 unavailable after 3 tries/);
  await registration.page.route(LEADS_PATH, refusal(503, "unavailable", { "Retry-After": "1" }));
  const lead = entry();
  await registration.fill(lead);
  await registration.submit();
  await expect(registration.toast).toContainText(texts.registration.toast.failed, {
    timeout: 15_000,
  });
  await expect(registration.note).toContainText(texts.registration.failed.other);
  await expect(registration.submitButton).toBeEnabled();
  await registration.expectValues(lead);
  expect(registration.sent).toHaveLength(3);

  await registration.page.unroute(LEADS_PATH);
  await registration.submit();
  await registration.expectAccepted();
  expect(new Set(registration.keys()).size).toBe(1);
});

test("a broken network is tried again", async ({ registration, problems }) => {
  problems.expect(/ERR_FAILED/);
  let broken = true;
  await registration.page.route(LEADS_PATH, (route) => {
    const abort = broken;
    broken = false;
    return abort ? route.abort() : route.continue();
  });
  await registration.fill(entry());
  await registration.submit();
  await registration.expectAccepted();
  expect(registration.sent).toHaveLength(2);
});

test("a 422 is shown as the form's own errors", async ({ registration, problems, texts }) => {
  problems.expect(/status of 422/);
  const fields = { mobile: [{ code: "mobile_too_short", message: "" }] };
  await registration.page.route(LEADS_PATH, (route) =>
    route.fulfill({
      status: 422,
      json: { error: { code: "validation_failed", message: "", fields } },
    }),
  );
  const lead = entry();
  await registration.fill(lead);
  await registration.submit();
  await expect(registration.error("mobile")).toHaveText(texts.registration.error.mobile_too_short);
  await expect(registration.toast).toContainText(texts.registration.toast.invalid);
  await expect(registration.field("mobile")).toBeFocused();
  await registration.expectValues(lead);
});

test("a session that the server no longer knows is replaced unnoticed", async ({
  registration,
  problems,
}) => {
  problems.expect(/status of 401/);
  const { page } = registration;
  const storageKey = "zyon-grand.session";
  await expect
    .poll(() => page.evaluate((key) => localStorage.getItem(key), storageKey))
    .not.toBeNull();
  await page.evaluate((key) => {
    const record = JSON.parse(localStorage.getItem(key) ?? "{}");
    const spoiled = { ...record, accessToken: "spoiled", refreshToken: "spoiled" };
    localStorage.setItem(key, JSON.stringify(spoiled));
  }, storageKey);
  const lead = entry();
  await registration.fill(lead);
  await registration.submit();
  await registration.expectAccepted();
  expect(registration.sent).toHaveLength(2);
  expect(new Set(registration.keys()).size).toBe(1);
  await deliveredLeadOf(lead.email);
  expect(await leadsOf(lead.email)).toHaveLength(1);
});

test("a double click sends one lead", async ({ registration }) => {
  const lead = entry();
  await registration.fill(lead);
  await registration.submitButton.dblclick();
  await registration.expectAccepted();
  expect(registration.sent).toHaveLength(1);
});
