import { expect, test } from "vitest";
import type { Progress, State } from "#desk/api.ts";
import { bookVisit, recordCall, recordNoAnswer, undoChange } from "./changes.ts";

const seen = "2026-11-24T08:00:00.123456Z";
const by = "Daniel Koh";
const at = "2026-11-28T03:00:00.000Z";
const contacted: Progress = {
  state: "contacted",
  owner: "Mei Tan",
  next_step_at: null,
  closing_reason: null,
  contacted_at: seen,
  changed_at: seen,
};
const from = (state: State): Progress => ({ ...contacted, state });

test("a call is a note and plans the next call", () => {
  const fresh = { ...from("new"), changed_at: null };
  expect(recordCall(fresh, { by, said: "" })).toEqual({
    state: "contacted",
    note: "Talked",
    seen: null,
  });
  expect(recordCall(contacted, { by, said: "Wants C1", next: at })).toEqual({
    state: "contacted",
    note: "Wants C1",
    next_step_at: at,
    seen,
  });
  expect(recordNoAnswer(fresh, { by, said: "", next: at })).toEqual({
    state: "new",
    note: "No answer",
    next_step_at: at,
    seen: null,
  });
  expect(recordNoAnswer(contacted, { by, said: "Voicemail" })).toMatchObject({
    note: "No answer: Voicemail",
  });
});

test("a call keeps a planned visit", () => {
  const visit = { ...from("visit_booked"), next_step_at: at };
  expect(recordCall(visit, { by, said: "" })).toEqual({ note: "Talked" });
  expect(recordNoAnswer(visit, { by, said: "" })).toEqual({ note: "No answer" });
});

test("a recorded contact assigns an unassigned lead, and no other", () => {
  const free = (state: State): Progress => ({ ...from(state), owner: "" });
  const call = { by, said: "" };
  for (const record of [recordCall, recordNoAnswer]) {
    for (const state of ["new", "contacted", "visit_booked"] as const) {
      expect(record(free(state), call)).toMatchObject({ owner: by, seen });
      expect(record(from(state), call)).not.toHaveProperty("owner");
    }
  }
  const booked = { state: "visit_booked", next_step_at: at, seen };
  expect(bookVisit(free("new"), by, at)).toEqual({ ...booked, owner: by });
  expect(bookVisit(contacted, by, at)).toEqual(booked);
});

test("undo returns a lead that became the author's", () => {
  const before: Progress = { ...from("new"), owner: "", changed_at: null };
  const after: Progress = { ...contacted, owner: by };
  expect(undoChange(before, after)).toEqual({ state: "new", owner: "", seen });
});

test("undo restores state and owner, and makes an overdue step due", () => {
  const after: Progress = { ...from("closed"), closing_reason: "other", changed_at: at };
  const overdue = { ...contacted, next_step_at: "2020-01-01T00:00:00.000Z" };
  const change = undoChange(overdue, after);
  expect(change).toMatchObject({ state: "contacted", owner: "Mei Tan", seen: at });
  expect(Date.parse(change?.next_step_at ?? "")).toBeGreaterThan(Date.now() - 60_000);
  expect(undoChange(contacted, { ...contacted, changed_at: at })).toBeNull();
});
