import type { Entry, Interest, Lead, State } from "./api.ts";
import { texts } from "./page.ts";

type Words = (time: string) => string;

/** Joins what there is. */
export function joined(...parts: (string | null | false)[]): string {
  return parts.filter(Boolean).join(" · ");
}

export function interestsIn(interests: Interest[]): string {
  return joined(...interests.map((interest) => texts.interests[interest]));
}

/** Why a lead may be automatic; empty where nothing speaks for it. */
export function suspicion({
  signals,
  form_seconds,
}: Pick<Lead, "signals" | "form_seconds">): string {
  return joined(
    ...signals.map((signal) =>
      signal === "too_fast" && form_seconds !== null
        ? texts.filledIn(form_seconds)
        : texts.signals[signal],
    ),
  );
}

export function isOver(state: State): state is "closed" | "invalid" {
  return state === "closed" || state === "invalid";
}

/** Where sales are with a lead, as a sentence. */
export function standing(
  { state, closing_reason, next_step_at, owner }: Standing,
  words: Words,
): string {
  return joined(
    state !== null && texts.states[state],
    closing_reason !== null && texts.reasons[closing_reason],
    nextStepOf({ state, next_step_at }, words),
    texts.whoseIs(owner ?? ""),
  );
}

/** What is planned for a lead; empty where nothing is. */
export function nextStepOf(
  { state, next_step_at }: Pick<Standing, "state" | "next_step_at">,
  words: Words,
): string {
  return state === null || isOver(state) || next_step_at === null
    ? ""
    : texts.nextStep[state](words(next_step_at));
}

type Standing = Pick<Entry, "state" | "closing_reason" | "next_step_at" | "owner">;

/** An entry of the timeline as a sentence. */
export function story(entry: Entry, words: Words): string {
  switch (entry.event) {
    case "submitted":
    case "acknowledged":
    case "brochure":
    case "repeated":
    case "withdrawn":
    case "erasure_requested":
      return texts.events[entry.event];
    case "noted":
      return texts.said(entry.by, entry.text);
    case "contact_changed":
      return texts.said(entry.by, entry.do_not_contact ? texts.forbidden : texts.allowed);
    case "progressed":
      return texts.said(entry.by, standing(entry, words));
  }
}

/** Who changed state, owner or next step last; empty where nobody did. */
export function lastChangedBy({ timeline }: Lead): string {
  return timeline.filter(({ event }) => event === "progressed").at(-1)?.by ?? "";
}
