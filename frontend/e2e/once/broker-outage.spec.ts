import { expect } from "@playwright/test";
import { keepBrokerAway } from "../support/broker.ts";
import { leadsOf, toldLeadOf } from "../support/leads.ts";
import { mailsWith } from "../support/mailbox.ts";
import { entry } from "../support/registration-page.ts";
import { test } from "../support/site.ts";

test("the broker is killed while a lead is sent: nothing accepted is lost, and it works again by itself", async ({
  registration,
  problems,
  texts,
}) => {
  test.setTimeout(180_000);
  problems.expect(/status of (502|503|504)/, /registration not sent/);

  const before = entry();
  await registration.fill(before);
  await registration.submit();
  const referenceBefore = await registration.expectAccepted();

  const broker = keepBrokerAway();
  const during = entry();
  try {
    await registration.fill(during);
    await registration.submit();
    await expect(registration.toast).toContainText(texts.registration.toast.failed, {
      timeout: 20_000,
    });
    await expect(registration.submitButton).toBeEnabled();
    await registration.expectValues(during);
  } finally {
    await broker.letBack();
  }

  await expect(async () => {
    await registration.submit();
    await expect(registration.toast).toContainText(texts.registration.toast.accepted, {
      timeout: 15_000,
    });
  }).toPass({ timeout: 90_000 });
  const referenceDuring = await registration.expectAccepted();
  // The first key is that of the lead before.
  expect(new Set(registration.keys().slice(1)).size).toBe(1);

  for (const [lead, reference] of [
    [before, referenceBefore],
    [during, referenceDuring],
  ] as const) {
    expect(await toldLeadOf(lead.email)).toMatchObject({ reference });
    expect(await leadsOf(lead.email)).toHaveLength(1);
    expect((await mailsWith(lead.email)).length).toBeGreaterThanOrEqual(1);
  }
});
