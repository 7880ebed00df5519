import { expect, test } from "@playwright/test";
import { leadctl, leadsOf } from "./support/leads.ts";

test("a canary reaches its mailbox and stays hidden from sales", async () => {
  const arrival = JSON.parse(await leadctl("canary", "--json"));
  expect(arrival.emailed_seconds).toBeGreaterThan(0);
  expect(await leadsOf("canary@example.invalid")).toEqual([]);
});
