import { expect } from "@playwright/test";
import { entry, LEADS_PATH } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

test("a failure says so, is logged without the person, and keeps the values", async ({
  registration,
  texts,
  problems,
}) => {
  problems.expect(/status of 500/, /registration not sent 500/);
  await registration.page.route(LEADS_PATH, (route) =>
    route.fulfill({ status: 500, json: { error: { code: "internal", message: "internal" } } }),
  );
  const lead = entry();
  await registration.fill(lead);
  await registration.submit();
  await expect(registration.toast).toContainText(texts.registration.toast.failed);
  await expect(registration.submitButton).toBeEnabled();
  await expect(registration.submitButton).toHaveText(texts.registration.submit);
  await registration.expectValues(lead);
  const logged = problems.all().join("\n");
  expect(logged).toContain("registration not sent 500");
  for (const personal of [lead.name, lead.mobile, lead.email, lead.questions]) {
    expect(logged).not.toContain(personal);
  }
});

test("what was entered offline is kept and sent at the next press", async ({
  registration,
  texts,
  problems,
}) => {
  problems.expect(/ERR_INTERNET_DISCONNECTED/, /registration not sent/);
  const { page } = registration;
  const lead = entry();
  await registration.fill(lead);
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
