import { expect, test } from "vitest";
import type { Entry } from "./api.ts";
import { standing, story } from "./story.ts";

const entry: Entry = {
  at: "2026-11-24T08:00:00Z",
  event: "progressed",
  by: "Mei Tan",
  state: "visit_booked",
  closing_reason: null,
  owner: "Daniel Koh",
  next_step_at: "2026-11-28T03:00:00Z",
  text: "",
  do_not_contact: null,
};
const words = () => "Sat";
const told = (change: Partial<Entry>) => story({ ...entry, ...change }, words);

test("an entry of the timeline says who did what, and what is next", () => {
  expect(told({})).toBe("Mei Tan: Visit booked · Visit Sat · Assigned to Daniel Koh");
  expect(told({ state: "new", owner: "" })).toBe("Mei Tan: New · Try again Sat · Unassigned");
  expect(told({ state: "closed", closing_reason: "bought", owner: "" })).toBe(
    "Mei Tan: Closed · Bought here · Unassigned",
  );
  expect(told({ event: "noted", text: "No answer" })).toBe("Mei Tan: No answer");
  expect(told({ event: "contact_changed", do_not_contact: true })).toBe("Mei Tan: do not contact");
  expect(told({ event: "withdrawn", by: "" })).toBe("Visitor asked not to be contacted");
  expect(told({ event: "brochure", by: "" })).toBe("Brochure emailed to the visitor");
});

test("a list says the same of a lead", () => {
  expect(standing({ ...entry, state: "contacted" }, words)).toBe(
    "Contacted · Follow up Sat · Assigned to Daniel Koh",
  );
});
