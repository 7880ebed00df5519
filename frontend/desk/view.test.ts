import { expect, test } from "vitest";
import { type ListFilter, listAddress, reportAddress } from "./address.ts";
import { viewOf } from "./view.ts";

test("a filter survives its address", () => {
  const filters: ListFilter[] = [
    {},
    { campaign: "launch & more", source: "", plans: ["B1", ""] },
    { referrer: "news.example", interest: "purchase", language: "zh", owner: "陈美" },
    { visit_time: "weekend-mornings", state: "closed", closing_reason: "bought" },
    { closing_reason: "", owner: "", contacted: "yes", visit_booked: "no" },
    { visitor_email: "brochure-failed", emailed_from: "2026-10-30T16:00:00Z" },
    { from: "2026-10-30T16:00:00Z", before: "2026-11-29T04:05:06.789Z" },
  ];
  for (const filter of filters) {
    expect(viewOf(listAddress(filter))).toEqual({ name: "list", filter });
  }
});

test("a value in the address that the server would reject is left out", () => {
  const address =
    "#/leads?interest=rent&state=lost&from=yesterday&before=2026-13-01T00:00&contacted=maybe&visitor_email=letter-lost&source=";
  expect(viewOf(address)).toEqual({ name: "list", filter: { source: "" } });
});

test("the number of days of the report is in the address", () => {
  for (const days of [7, 30, 90] as const) {
    expect(viewOf(reportAddress(days))).toEqual({ name: "report", days });
  }
  expect(viewOf("#/report?days=12")).toEqual({ name: "report", days: 30 });
});

test("an address of a lead is no list", () => {
  expect(viewOf("#/leads/0a-1b")).toEqual({ name: "lead", id: "0a-1b" });
  expect(viewOf("#/new")).toEqual({ name: "new" });
  expect(viewOf("")).toEqual({ name: "list", filter: {} });
});
