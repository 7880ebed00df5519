import { expect, test } from "vitest";
import type { Interest, Progress, Row } from "#desk/api.ts";
import { isWaitingTooLong, sectionsOf } from "./list-sections.ts";

const submitted_at = "2026-11-24T08:00:00Z";
const progress: Progress = {
  state: "new",
  owner: "",
  next_step_at: null,
  closing_reason: null,
  contacted_at: null,
  changed_at: null,
};

function row(id: string, changes: Partial<Progress> = {}, more: Partial<Row> = {}): Row {
  return {
    id,
    reference: `ZG-${id}`,
    submitted_at,
    interests: ["showflat"],
    name: `Visitor ${id}`,
    signals: [],
    form_seconds: 41,
    phone: null,
    takes_messages: false,
    plan: null,
    do_not_contact: false,
    channels: [],
    progress: { ...progress, ...changes },
    erasure_requested_at: null,
    ...more,
  };
}

const minutesLater = (minutes: number) => Date.parse(submitted_at) + minutes * 60_000;
const wants = (...interests: Interest[]) => row("1", {}, { interests });

test("a purchase or show flat lead waits too long from the configured minutes on", () => {
  const isWaiting = (lead: Row, after: number, minutes = 20) =>
    isWaitingTooLong(lead, minutesLater(after), minutes);
  expect(isWaiting(wants("purchase"), 19.9)).toBe(false);
  expect(isWaiting(wants("purchase"), 20)).toBe(true);
  expect(isWaiting(wants("brochure", "showflat"), 20)).toBe(true);
  expect(isWaiting(wants("brochure"), 600)).toBe(false);
  expect(isWaiting(wants("purchase"), 600, 0)).toBe(false);
});

test("a lead that was contacted or must not be contacted does not wait", () => {
  const isWaiting = (lead: Row) => isWaitingTooLong(lead, minutesLater(600), 15);
  expect(isWaiting(row("1", { contacted_at: submitted_at }))).toBe(false);
  expect(isWaiting(row("1", { state: "invalid" }))).toBe(false);
  expect(isWaiting(row("1", {}, { do_not_contact: true }))).toBe(false);
});

test("each row is in one section", () => {
  const toErase = [row("1", {}, { erasure_requested_at: "2026-11-25T08:00:00Z" })];
  const late = row("2", { owner: "Mei", next_step_at: "2026-11-25T09:00:00Z" });
  const early = row("3", { owner: "Dan", next_step_at: "2026-11-25T08:00:00Z" });
  const mine = row("4", { owner: "Mei", state: "contacted" });
  const over = row("8", { state: "invalid", next_step_at: "2026-11-25T08:00:00Z" });
  const rows = [
    ...toErase,
    late,
    early,
    mine,
    row("5"),
    row("6", { state: "contacted" }),
    row("7", { owner: "Mei", state: "closed" }),
    over,
  ];
  const due = [late, early, over, ...toErase];
  const loaded = { toErase, due, dueUntil: null, mine: [late, mine], rows };
  const sections = sectionsOf(loaded, "Mei");
  const ids = Object.entries(sections).map(([name, each]) => [
    name,
    (each as Row[]).map(({ id }) => id),
  ]);
  expect(Object.fromEntries(ids)).toEqual({
    toErase: ["1"],
    due: ["3", "2"],
    untouched: ["5"],
    mine: ["4"],
    later: ["6"],
    finished: ["7", "8"],
  });
});

test("a due lead that is not loaded as such is in no section", () => {
  const due = [row("1", { next_step_at: "2026-11-25T08:00:00Z" })];
  const dueLater = row("2", { owner: "Mei", next_step_at: "2026-11-25T09:00:00Z" });
  const dueTomorrow = row("3", { next_step_at: "2026-11-26T01:00:00Z" });
  const rows = [...due, dueLater, dueTomorrow, row("4")];
  const dueUntil = Date.parse("2026-11-25T16:00:00Z");
  const idsOf = (until: number | null) => {
    const loaded = { toErase: [], due, dueUntil: until, mine: [dueLater], rows };
    const { mine, untouched } = sectionsOf(loaded, "Mei");
    return [mine, untouched].map((section) => section.map(({ id }) => id));
  };
  expect(idsOf(dueUntil)).toEqual([[], ["3", "4"]]);
  // All due leads are loaded, so it is no longer due.
  expect(idsOf(null)).toEqual([["2"], ["3", "4"]]);
});
