import { expect, test } from "vitest";
import type { Progress, State } from "./api.ts";
import { changesOf } from "./changes.ts";
import { deskTexts } from "./texts.ts";

const seen = "2026-11-24T08:00:00.123456Z";
const at = "2026-11-28T03:00:00.000Z";

function from(state: State, changed_at: string | null = seen) {
  const progress: Progress = {
    state,
    owner: "Mei Tan",
    next_step_at: null,
    closing_reason: null,
    changed_at,
  };
  return changesOf(progress, deskTexts.en);
}

test("a first call contacts, and a later one is a note", () => {
  expect(from("new", null).called()).toEqual({ state: "contacted", seen: null });
  expect(from("contacted").called()).toEqual({ state: "contacted", note: "Called", seen });
  expect(from("visit_booked").called()).toEqual({ note: "Called" });
});

test("no answer keeps the state, and a visit", () => {
  for (const state of ["new", "contacted"] as const) {
    expect(from(state).noAnswer(at)).toEqual({ state, next_step_at: at, note: "No answer", seen });
  }
  expect(from("visit_booked").noAnswer()).toEqual({ note: "No answer" });
});

test("a change of state or owner says what was seen, and nothing else does", () => {
  const changes = from("contacted");
  expect(changes.visit(at)).toEqual({ state: "visit_booked", next_step_at: at, seen });
  expect(changes.giveTo("")).toEqual({ owner: "", seen });
  expect(changes.close("bought", "")).toEqual({ state: "closed", closing_reason: "bought", seen });
  expect(changes.close("other", "Moved")).toMatchObject({ note: "Moved" });
  expect(changes.markInvalid()).toEqual({ state: "invalid", seen });
  expect(from("closed").reopen()).toEqual({ state: "contacted", seen });
  expect(changes.note("Wants C1")).toEqual({ note: "Wants C1" });
  expect(changes.mayContact(false)).toEqual({ do_not_contact: true });
});
