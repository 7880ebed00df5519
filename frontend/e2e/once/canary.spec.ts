import { expect, test } from "@playwright/test";
import { leadctl, leadsOf } from "../support/leads.ts";

test("a lead of our own goes through the site to a mailbox, and sales does not see it", async () => {
  const arrival = JSON.parse(await leadctl("canary", "--json"));
  expect(arrival.emailed_seconds).toBeGreaterThan(0);
  expect(await leadsOf("canary@example.invalid")).toEqual([]);
});
