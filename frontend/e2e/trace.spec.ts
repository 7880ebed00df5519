import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { readCollected, spansOf } from "./support/collector.ts";
import { deliveredLeadOf } from "./support/leads.ts";
import { entry } from "./support/registration-page.ts";
import { setting } from "./support/settings.ts";
import { test } from "./support/site.ts";

/** The spans of every lead, whichever service processes it first. */
const SPANS = [
  "lead-intake server POST /functions/v1/send-contact-email",
  "lead-intake producer publish leads",
  "notifier consumer process notifier.leads",
  "notifier client crm.v1.DeliveryService/ClaimDeliveries",
  "notifier client send mail",
  "notifier client crm.v1.DeliveryService/ReportDeliveries",
  "crm-sync server crm.v1.DeliveryService/ClaimDeliveries",
  "crm-sync client claim deliveries",
  "crm-sync server crm.v1.DeliveryService/ReportDeliveries",
  "crm-sync client report deliveries",
  "crm-sync consumer process crm-sync.leads",
  "crm-sync client record leads",
];

test("a lead is one trace without personal data", async ({ registration }) => {
  const marker = `marker${crypto.randomUUID().replaceAll("-", "")}`;
  const lead = entry({
    name: `${marker} 陈伟`,
    email: `${marker}@example.com`,
    mobile: `+65 8${String(Date.now()).slice(-7)}`,
    questions: `${marker}?`,
  });
  await registration.fill(lead);
  await registration.submit();
  await registration.expectAccepted();
  await deliveredLeadOf(lead.email);

  const [version, traceId = "", browser] = (
    registration.sent[0]?.headers()["traceparent"] ?? ""
  ).split("-");
  expect(version).toBe("00");
  const describeSpans = () =>
    spansOf(traceId).map(({ service, kind, name }) => `${service} ${kind} ${name}`);
  await expect.poll(describeSpans, { timeout: 30_000 }).toEqual(expect.arrayContaining(SPANS));

  // A span may be collected before its parent.
  const roots = () => {
    const spans = spansOf(traceId);
    const ids = new Set(spans.map((span) => span.spanId));
    const found = spans.filter((span) => !ids.has(span.parentSpanId));
    return found.map(({ name, parentSpanId }) => ({ name, parentSpanId }));
  };
  await expect
    .poll(roots, { timeout: 30_000 })
    .toEqual([{ name: "POST /functions/v1/send-contact-email", parentSpanId: browser }]);
  for (const { name, links } of spansOf(traceId).filter(({ kind }) => kind === "consumer")) {
    expect(links, name).toEqual([traceId]);
  }

  const digits = lead.mobile.replaceAll(/\D/g, "");
  const logs = readdirSync(setting("SERVICE_LOGS")).map((file) =>
    readFileSync(join(setting("SERVICE_LOGS"), file), "utf8"),
  );
  for (const text of [readCollected(), ...logs]) {
    expect(text.includes(marker) || text.includes(digits) || text.includes(lead.mobile)).toBe(
      false,
    );
  }
  expect(logs.some((log) => log.includes(traceId))).toBe(true);
});
