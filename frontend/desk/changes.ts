import type { Change, Lead, Progress } from "./api.ts";
import { texts } from "./page.ts";

/** With a planned visit, a call is only a note, because a change of state would cancel the visit. */
function afterCall({ state, changed_at: seen }: Progress, call: Change, next?: string): Change {
  return state === "visit_booked"
    ? { note: call.note ?? "" }
    : { state, ...call, ...(next && { next_step_at: next }), seen };
}

/** @param next time of the next call, if one is planned */
export function talked(progress: Progress, said: string, next?: string): Change {
  return afterCall(progress, { state: "contacted", note: said || texts.called }, next);
}

export function unanswered(progress: Progress, said: string, next?: string): Change {
  const note = said === "" ? texts.noAnswer : texts.said(texts.noAnswer, said);
  return afterCall(progress, { note }, next);
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
export function undone(before: Progress, after: Progress): Change | null {
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
