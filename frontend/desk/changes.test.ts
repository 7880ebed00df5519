import { expect, test } from "vitest";
import type { Progress, State } from "./api.ts";
import { talked, unanswered, undone } from "./changes.ts";

const seen = "2026-11-24T08:00:00.123456Z";
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
  expect(talked(fresh, "")).toEqual({ state: "contacted", note: "Talked", seen: null });
  expect(talked(contacted, "Wants C1", at)).toEqual({
    state: "contacted",
    note: "Wants C1",
    next_step_at: at,
    seen,
  });
  expect(unanswered(fresh, "", at)).toEqual({
    state: "new",
    note: "No answer",
    next_step_at: at,
    seen: null,
  });
  expect(unanswered(contacted, "Voicemail")).toMatchObject({ note: "No answer: Voicemail" });
});

test("a call keeps a planned visit", () => {
  const visit = { ...from("visit_booked"), next_step_at: at };
  expect(talked(visit, "")).toEqual({ note: "Talked" });
  expect(unanswered(visit, "")).toEqual({ note: "No answer" });
});

test("undo restores state and owner, and makes an overdue step due", () => {
  const after: Progress = { ...from("closed"), closing_reason: "other", changed_at: at };
  const overdue = { ...contacted, next_step_at: "2020-01-01T00:00:00.000Z" };
  const change = undone(overdue, after);
  expect(change).toMatchObject({ state: "contacted", owner: "Mei Tan", seen: at });
  expect(Date.parse(change?.next_step_at ?? "")).toBeGreaterThan(Date.now() - 60_000);
  expect(undone(contacted, { ...contacted, changed_at: at })).toBeNull();
});
