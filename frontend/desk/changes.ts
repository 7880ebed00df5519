import type { Change, Progress } from "./api.ts";
import { texts } from "./page.ts";

/** A planned visit stays: with one, a call is a note, because a change of state would cancel it. */
function afterCall({ state, changed_at: seen }: Progress, call: Change, next?: string): Change {
  return state === "visit_booked"
    ? { note: call.note ?? "" }
    : { state, ...call, ...(next && { next_step_at: next }), seen };
}

/** @param next when to call again; without it, nothing is planned */
export function talked(progress: Progress, said: string, next?: string): Change {
  return afterCall(progress, { state: "contacted", note: said || texts.called }, next);
}

export function unanswered(progress: Progress, said: string, next?: string): Change {
  const note = said === "" ? texts.noAnswer : texts.said(texts.noAnswer, said);
  return afterCall(progress, { note }, next);
}

/** What restores the progress before a change; `null` where the change left it alone. A note stays. */
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
    // A step that is overdue is due now: the server takes no time in the past.
    ...(step && { next_step_at: new Date(Math.max(step, Date.now())).toISOString() }),
    seen: after.changed_at,
  };
}
