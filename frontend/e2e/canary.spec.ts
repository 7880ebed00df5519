import { expect, test } from "@playwright/test";
import { leadctl, leadsOf } from "./support/leads.ts";

test("the site publishes the key of its pages for canaries", async ({ request }) => {
  const key = await request.get("/anon-key.txt");
  expect(key.status()).toBe(200);
  expect(await key.text()).toBe("zg-anon-local\n");
});

test("a canary reaches its mailbox and stays hidden from sales", async () => {
  const arrival = JSON.parse(await leadctl("canary", "--json"));
  expect(arrival.emailed_seconds).toBeGreaterThan(0);
  expect(await leadsOf("canary@example.invalid")).toEqual([]);
});
