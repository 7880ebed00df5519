import type { Entry, Interest, Lead, Standing, State } from "./api.ts";
import { texts } from "./page.ts";

type Words = (time: string) => string;

/** Joins the non-empty parts. A line may break after a dot, but not before it. */
export function joined(...parts: (string | null | false)[]): string {
  return parts.filter(Boolean).join("\u00a0\u00b7 ");
}

export function interestsIn(interests: Interest[]): string {
  return joined(...interests.map((interest) => texts.interests[interest]));
}

/** The spam signals of a lead, or an empty text. */
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

/** State, next step and owner of a lead. */
export function standing(progress: Standing, words: Words): string {
  const { state, closing_reason, owner } = progress;
  return joined(
    texts.states[state],
    closing_reason !== null && texts.reasons[closing_reason],
    nextStepOf(progress, words),
    texts.whoseIs(owner),
  );
}

/** The next step of a lead, or an empty text. */
export function nextStepOf({ state, next_step_at }: Standing, words: Words): string {
  return isOver(state) || next_step_at === null ? "" : texts.nextStep[state](words(next_step_at));
}

/** An entry of the timeline as a sentence. */
export function story(entry: Entry, words: Words): string {
  switch (entry.event) {
    case "submitted":
    case "conflicting":
    case "erasure_requested":
      return texts.events[entry.event];
    case "delivered":
      return texts.events[entry.recipient];
    case "entered":
      return texts.said(entry.client, texts.entered);
    case "noted":
      return texts.said(entry.client, entry.text);
    case "name_corrected":
    case "number_corrected":
    case "email_corrected":
      return texts.said(entry.client, texts.corrected[entry.event](entry.from, entry.to));
    case "contact_changed":
      return entry.client === "visitor"
        ? texts.events.withdrawn
        : texts.said(entry.client, entry.allowed ? texts.allowed : texts.forbidden);
    case "progressed":
      return texts.said(entry.client, standing(entry, words));
  }
}

/** The last person to change state, owner or next step, or an empty text. */
export function lastChangedBy({ timeline }: Lead): string {
  return timeline.filter((entry) => entry.event === "progressed").at(-1)?.client ?? "";
}
