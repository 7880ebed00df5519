import { expect } from "@playwright/test";
import { keepBrokerDown } from "../support/broker.ts";
import { freezeCrm } from "../support/crm.ts";
import { deliveredLeadOf, leadsOf } from "../support/leads.ts";
import { emailsWith } from "../support/mailbox.ts";
import { entry } from "../support/registration-page.ts";
import { test } from "../support/site.ts";

test("accepts, stores and emails a lead while the broker is down", async ({
  registration,
  language,
}) => {
  test.setTimeout(180_000);

  const before = entry();
  await registration.fill(before);
  await registration.submit();
  const referenceBefore = await registration.expectAccepted();

  const broker = keepBrokerDown();
  const during = entry();
  try {
    // A new page does not show the reference of the previous lead.
    await registration.open(language);
    await registration.fill(during);
    await registration.submit();
    const referenceDuring = await registration.expectAccepted();
    expect(await deliveredLeadOf(during.email)).toMatchObject({ reference: referenceDuring });
    expect(await emailsWith(during.email)).toHaveLength(1);
  } finally {
    await broker.restore();
  }

  expect(await deliveredLeadOf(before.email)).toMatchObject({ reference: referenceBefore });
  for (const lead of [before, during]) {
    expect(await leadsOf(lead.email)).toHaveLength(1);
    expect(await emailsWith(lead.email)).toHaveLength(1);
  }
});

test("accepts the same lead after an outage of broker and CRM", async ({
  registration,
  problems,
  texts,
}) => {
  test.setTimeout(180_000);
  problems.expect(/status of 503/, /registration not sent 503 unavailable/);

  const lead = entry();
  const broker = keepBrokerDown();
  try {
    const crm = await freezeCrm();
    try {
      await registration.fill(lead);
      await registration.submit();
      await expect(registration.toast).toContainText(texts.toast.failed, {
        timeout: 25_000,
      });
      await expect(registration.submitButton).toBeEnabled();
      await registration.expectValues(lead);
    } finally {
      await crm.thaw();
    }
    await registration.submit();
    const reference = await registration.expectAccepted();
    expect(await deliveredLeadOf(lead.email)).toMatchObject({ reference });
  } finally {
    await broker.restore();
  }

  expect(new Set(registration.keys()).size).toBe(1);
  expect(await leadsOf(lead.email)).toHaveLength(1);
  expect(await emailsWith(lead.email)).toHaveLength(1);
});
