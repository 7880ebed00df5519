import type { Route } from "@playwright/test";
import { expect } from "@playwright/test";
import { deliveredLeadOf, leadsOf } from "./support/leads.ts";
import { entry, LEADS_PATH } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

function errorResponse(status: number, code: string, headers: Record<string, string> = {}) {
  return (route: Route) =>
    route.fulfill({ status, headers, json: { error: { code, message: code } } });
}

test("a permanent failure keeps the values after three attempts", async ({
  registration,
  problems,
  texts,
}) => {
  problems.expect(/status of 503/, /registration not sent 503 unavailable after 3 tries/);
  await registration.page.route(
    LEADS_PATH,
    errorResponse(503, "unavailable", { "Retry-After": "1" }),
  );
  const lead = entry();
  await registration.fill(lead);
  await registration.submit();
  await expect(registration.toast).toContainText(texts.toast.failed, {
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

test("a session that the server rejects is replaced without a message", async ({
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
    const spoiled = { ...record, access_token: "spoiled", refresh_token: "spoiled" };
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

test("a 422, a 500 and an outage keep the values and log no personal data", async ({
  registration,
  texts,
  problems,
}) => {
  problems.expect(/status of (422|500)/, /ERR_INTERNET_DISCONNECTED/, /registration not sent/);
  const { page } = registration;
  const lead = entry();
  await registration.fill(lead);

  await test.step("a 422 shows its errors at the fields", async () => {
    const fields = { mobile: [{ code: "mobile_too_short", message: "" }] };
    await page.route(LEADS_PATH, (route) =>
      route.fulfill({
        status: 422,
        json: { error: { code: "validation_failed", message: "", fields } },
      }),
    );
    await registration.submit();
    await expect(registration.error("mobile")).toHaveText(
      texts.registration.error.mobile_too_short,
    );
    await expect(registration.toast).toContainText(texts.toast.invalid);
    await expect(registration.field("mobile")).toBeFocused();
    await registration.expectValues(lead);
    await page.unroute(LEADS_PATH);
  });

  await test.step("a 500 shows the failure", async () => {
    await page.route(LEADS_PATH, errorResponse(500, "internal"));
    await registration.submit();
    await expect(registration.toast).toContainText(texts.toast.failed);
    await expect(registration.submitButton).toBeEnabled();
    await expect(registration.submitButton).toHaveText(texts.registration.submit);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(registration.toast).toBeInViewport({ ratio: 1 });
    await page.setViewportSize({ width: 1440, height: 900 });
    await registration.expectValues(lead);
    await page.unroute(LEADS_PATH);
    const logged = problems.all().join("\n");
    expect(logged).toContain("registration not sent 500");
    for (const personal of [lead.name, lead.mobile, lead.email, lead.questions]) {
      expect(logged).not.toContain(personal);
    }
  });

  await test.step("an outage is explained, and only the visitor submits again", async () => {
    await page.context().setOffline(true);
    await registration.submit();
    await expect(registration.note).toContainText(texts.registration.failed.offline, {
      timeout: 20_000,
    });
    const { length } = registration.sent;
    await page.context().setOffline(false);
    await registration.expectValues(lead);
    expect(registration.sent).toHaveLength(length);
    await registration.submit();
    await registration.expectAccepted();
  });
});
