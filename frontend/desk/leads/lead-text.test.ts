import { expect, test } from "vitest";
import type { Channel, DncCheck, Entry, Standing, State } from "#desk/api.ts";
import { dncResult, eventText, statusTextFor } from "./lead-text.ts";

const at = "2026-11-24T08:00:00Z";
const client = "Mei Tan";
const progressed: Standing = {
  state: "visit_booked",
  closing_reason: null,
  owner: "Daniel Koh",
  next_step_at: "2026-11-28T03:00:00Z",
};
const formatTime = () => "Sat";
const describeEntry = (change: Partial<Standing>) =>
  eventText({ at, event: "progressed", client, ...progressed, ...change }, formatTime);

test("a timeline entry has author, change and next step", () => {
  expect(describeEntry({})).toBe(
    "Mei Tan: Visit booked\u00a0· Visit Sat\u00a0· Assigned to Daniel Koh",
  );
  expect(describeEntry({ state: "new", owner: "" })).toBe(
    "Mei Tan: New\u00a0· Try again Sat\u00a0· Unassigned",
  );
  expect(describeEntry({ state: "closed", closing_reason: "bought", owner: "" })).toBe(
    "Mei Tan: Closed\u00a0· Bought here\u00a0· Unassigned",
  );
});

test.each<[Entry, string]>([
  [{ at, event: "noted", client, text: "No answer" }, "Mei Tan: No answer"],
  [{ at, event: "contact_changed", client, allowed: false }, "Mei Tan: do not contact"],
  [
    { at, event: "contact_changed", client: "visitor", allowed: false },
    "Visitor asked not to be contacted",
  ],
  [{ at, event: "delivered", recipient: "brochure" }, "Brochure emailed to the visitor"],
  [{ at, event: "entered", client, consent_means: null }, "Mei Tan: entered this lead by hand"],
  [
    { at, event: "entered", client, consent_means: "in_person" },
    "Mei Tan: entered this lead by hand (consent: in person)",
  ],
  [
    { at, event: "dnc_checked", client, check: { checked_at: at, listed: ["phone", "message"] } },
    "Mei Tan: checked the Do Not Call registry: listed for calls and text messages",
  ],
  [
    { at, event: "name_corrected", client, from: "1", to: "2" },
    "Mei Tan: corrected the name (1 → 2)",
  ],
  [
    { at, event: "number_corrected", client, from: "1", to: "2" },
    "Mei Tan: corrected the phone number (1 → 2)",
  ],
  [
    { at, event: "email_corrected", client, from: "1", to: "2" },
    "Mei Tan: corrected the email address (1 → 2)",
  ],
])("%o is told in words", (entry, expected) => {
  expect(eventText(entry, formatTime)).toBe(expected);
});

test.each<[Channel[], DncCheck | null, string]>([
  [["phone", "message"], null, ""],
  [[], null, "Check the Do Not Call registry first."],
  [
    ["phone"],
    { checked_at: "2026-11-24T08:00:00Z", listed: ["phone"] },
    "The Do Not Call registry does not list this number (checked 20 days ago).",
  ],
  [
    [],
    { checked_at: "2026-11-24T08:00:00Z", listed: ["message"] },
    "The Do Not Call registry lists this number for text messages (checked 20 days ago). Do not contact the visitor this way.",
  ],
  [
    [],
    { checked_at: "2026-11-23T07:59:00Z", listed: [] },
    "The Do Not Call registry was last checked 21 days ago. A result is valid for 21 days: check again first.",
  ],
])("agreed to %o, checked %o", (channels, dnc_check, expected) => {
  const now = Date.parse("2026-12-14T08:00:00Z");
  expect(dncResult({ channels, dnc_check }, now)).toBe(expected);
});

const moved = (by: string, state: State): Entry => ({
  at,
  event: "progressed",
  client: by,
  ...progressed,
  state,
});

test("a lead's status addresses the reader", () => {
  const contacted: Standing = { ...progressed, state: "contacted" };
  const statusFor = (reader: string, ...timeline: Entry[]) =>
    statusTextFor(reader, contacted, timeline, formatTime);
  const byDaniel = [moved("Mei Tan", "new"), moved("Daniel Koh", "contacted")];
  expect(statusFor("Daniel Koh", ...byDaniel)).toBe(
    "Contacted by you\u00a0· Follow up Sat\u00a0· Assigned to you",
  );
  expect(statusFor("Mei Tan", ...byDaniel)).toBe(
    "Contacted\u00a0· Follow up Sat\u00a0· Assigned to Daniel Koh",
  );
  // Who changes only the next step of a lead has not contacted the visitor.
  const later = [...byDaniel, moved("Mei Tan", "contacted")];
  expect(statusFor("Mei Tan", ...later)).toMatch(/^Contacted\u00a0/);
  expect(statusFor("Daniel Koh", ...later)).toMatch(/^Contacted by you/);
  expect(statusFor("Mei Tan")).toMatch(/^Contacted\u00a0/);
});

test("a later consent has its words and the version of the policy", () => {
  const entry: Entry = {
    at: "2026-11-29T04:00:00Z",
    event: "consented",
    channels: ["phone"],
    privacy_policy_version: "2026-11-29",
    wording: "You may call me",
  };
  expect(eventText(entry, String)).toBe(
    'Visitor agreed to calls after the form: "You may call me" (privacy policy of 2026-11-29)',
  );
});
