import type { Change, Lead, Progress } from "#desk/api.ts";
import { texts } from "#desk/language.ts";

/**
 * Assigns an unassigned lead to the person who records a contact. Of two people, the first keeps the lead: the desk rejects
 * the second change, because it has not seen the first.
 */
function assignedTo(person: string, { owner, changed_at: seen }: Progress): Change {
  return owner === "" ? { owner: person, seen } : {};
}

export interface Call {
  /** The person who called. */
  by: string;
  said: string;
  /** Time of the next call, if one is planned. */
  next?: string;
}

/** With a planned visit, a call is only a note, because a change of state would cancel the visit. */
function afterCall(progress: Progress, { by, next }: Call, change: Change): Change {
  const { state, changed_at: seen } = progress;
  const recorded =
    state === "visit_booked"
      ? { note: change.note ?? "" }
      : { state, ...change, ...(next && { next_step_at: next }), seen };
  return { ...recorded, ...assignedTo(by, progress) };
}

export function recordCall(progress: Progress, call: Call): Change {
  return afterCall(progress, call, { state: "contacted", note: call.said || texts.called });
}

export function recordNoAnswer(progress: Progress, call: Call): Change {
  const { said } = call;
  const note = said === "" ? texts.noAnswer : texts.said(texts.noAnswer, said);
  return afterCall(progress, call, { note });
}

/** @param at the time of the visit */
export function bookVisit(progress: Progress, by: string, at: string): Change {
  return {
    state: "visit_booked",
    next_step_at: at,
    seen: progress.changed_at,
    ...assignedTo(by, progress),
  };
}

/** The fields that were changed. The others stay as a colleague may have corrected them in the meantime. */
export function correctionOf(
  lead: Pick<Lead, "name" | "mobile" | "email">,
  values: Record<string, string>,
): Change {
  const fields = ["name", "mobile", "email"] as const;
  const changed = fields.filter((field) => values[field] !== lead[field]);
  return Object.fromEntries(changed.map((field) => [field, values[field]]));
}

/** The change that restores the progress before a change, or `null` if it was not changed. A note stays. */
export function undoChange(before: Progress, after: Progress): Change | null {
  const { state, owner, next_step_at, closing_reason } = before;
  if (
    state === after.state &&
    owner === after.owner &&
    next_step_at === after.next_step_at &&
    closing_reason === after.closing_reason
  ) {
    return null;
  }
  const step = Date.parse(next_step_at ?? "");
  return {
    state,
    owner,
    ...(closing_reason && { closing_reason }),
    // An overdue step becomes due now, because the server rejects a time in the past.
    ...(step && { next_step_at: new Date(Math.max(step, Date.now())).toISOString() }),
    seen: after.changed_at,
  };
}
