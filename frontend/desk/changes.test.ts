import { expect, test } from "vitest";
import type { Progress, State } from "./api.ts";
import { called, unanswered } from "./changes.ts";

const seen = "2026-11-24T08:00:00.123456Z";
const at = "2026-11-28T03:00:00.000Z";
const contacted: Progress = {
  state: "contacted",
  owner: "Mei Tan",
  next_step_at: null,
  closing_reason: null,
  changed_at: seen,
};
const from = (state: State): Progress => ({ ...contacted, state });

test("a first call contacts, and a later call is a note", () => {
  expect(called({ ...from("new"), changed_at: null })).toEqual({ state: "contacted", seen: null });
  expect(called(contacted)).toEqual({ state: "contacted", note: "Called", seen });
  expect(called(from("visit_booked"))).toEqual({ note: "Called" });
});

test("no answer keeps the state, and a visit", () => {
  for (const state of ["new", "contacted"] as const) {
    const expected = { state, next_step_at: at, note: "No answer", seen };
    expect(unanswered(from(state), at)).toEqual(expected);
  }
  expect(unanswered(from("visit_booked"))).toEqual({ note: "No answer" });
});
