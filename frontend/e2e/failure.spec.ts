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
