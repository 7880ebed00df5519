import type { Change, Progress } from "./api.ts";
import { texts } from "./page.ts";

/** A later call is a note, because a change of state would cancel a planned visit. */
export function called({ state, changed_at: seen }: Progress): Change {
  switch (state) {
    case "visit_booked":
      return { note: texts.called };
    case "contacted":
      return { state, note: texts.called, seen };
    default:
      return { state: "contacted", seen };
  }
}

/** @param again when to try again; without it, the plan stays */
export function unanswered({ state, changed_at: seen }: Progress, again?: string): Change {
  return again === undefined
    ? { note: texts.noAnswer }
    : { state, next_step_at: again, note: texts.noAnswer, seen };
}
