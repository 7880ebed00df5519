import {
  type ConsentMeans,
  channels,
  type Entry,
  type Interest,
  type Lead,
  type Standing,
  type State,
} from "#desk/api.ts";
import { language, texts } from "#desk/language.ts";
import { daysAgo } from "#desk/time.ts";

type FormatTime = (time: string) => string;

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

export function isClosed(state: State): state is "closed" | "invalid" {
  return state === "closed" || state === "invalid";
}

/** State, next step and owner of a lead. */
function statusText(progress: Standing, formatTime: FormatTime): string {
  const { state, owner } = progress;
  return joinStatus(texts.states[state], texts.whoseIs(owner), progress, formatTime);
}

/** State, next step and owner of a lead on the page of `reader`, who is not named. */
export function statusTextFor(
  reader: string,
  progress: Standing,
  timeline: Entry[],
  formatTime: FormatTime,
): string {
  const { state, owner } = progress;
  const isContactedByReader = state === "contacted" && movedTo(state, timeline) === reader;
  return joinStatus(
    isContactedByReader ? texts.contactedByYou : texts.states[state],
    owner === reader ? texts.yours : texts.whoseIs(owner),
    progress,
    formatTime,
  );
}

function joinStatus(
  state: string,
  owner: string,
  progress: Standing,
  formatTime: FormatTime,
): string {
  const { closing_reason } = progress;
  return joined(
    state,
    closing_reason !== null && texts.reasons[closing_reason],
    nextStepOf(progress, formatTime),
    owner,
  );
}

/** The person who moved the lead into its present state, or an empty text. */
function movedTo(state: State, timeline: Entry[]): string {
  const steps = timeline.filter((entry) => entry.event === "progressed");
  const isOther = steps.map((step) => step.state !== state);
  return steps[isOther.lastIndexOf(true) + 1]?.client ?? "";
}

/** The next step of a lead, or an empty text. */
export function nextStepOf({ state, next_step_at }: Standing, formatTime: FormatTime): string {
  if (isClosed(state) || next_step_at === null) {
    return "";
  }
  // During a deploy the server may know a state that this page does not.
  const nextStep: Partial<Record<string, (at: string) => string>> = texts.nextStep;
  return nextStep[state]?.(formatTime(next_step_at)) ?? formatTime(next_step_at);
}

/** An entry of the timeline as a sentence. */
export function eventText(entry: Entry, formatTime: FormatTime): string {
  switch (entry.event) {
    case "submitted":
    case "conflicting":
    case "erasure_requested":
      return texts.events[entry.event];
    case "delivered":
      return texts.events[entry.recipient];
    case "entered":
      return texts.said(entry.client, enteredWith(entry.consent_means));
    case "dnc_checked":
      return texts.said(entry.client, texts.dnc.checked(entry.check.listed));
    case "consented":
      return texts.consented(entry.channels, entry.wording, entry.privacy_policy_version);
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
      return texts.said(entry.client, statusText(entry, formatTime));
  }
}

function enteredWith(means: ConsentMeans | null): string {
  // During a deploy the server may know means that this page does not.
  const names: Partial<Record<string, string>> = texts.consentMeans;
  const name = names[means ?? ""];
  return name === undefined ? texts.entered : texts.enteredWith(name);
}

/** Whether the visitor sent the lead after withdrawing consent, and agreed to calls or messages with it. The mark stays. */
export function hasAgreedAgain({
  channels: agreed,
  submitted_at,
  withdrawn_at,
}: Pick<Lead, "channels" | "submitted_at" | "withdrawn_at">): boolean {
  return (
    agreed.length > 0 &&
    withdrawn_at !== null &&
    Date.parse(withdrawn_at) < Date.parse(submitted_at)
  );
}

/** How long the law accepts a result of the Do Not Call registry. */
const DNC_VALID_MS = 21 * 24 * 3_600_000;

/** What the Do Not Call registry says about the channels that the visitor did not agree to; empty if there are none. */
export function dncResult(
  { channels: agreed, dnc_check: check }: Pick<Lead, "channels" | "dnc_check">,
  now = Date.now(),
): string {
  const refused = channels.filter((channel) => !agreed.includes(channel));
  if (refused.length === 0) {
    return "";
  }
  if (check === null) {
    return texts.dnc.missing;
  }
  const checkedFor = now - Date.parse(check.checked_at);
  const when = daysAgo(checkedFor, language);
  if (checkedFor > DNC_VALID_MS) {
    return texts.dnc.expired(when);
  }
  const listed = refused.filter((channel) => check.listed.includes(channel));
  return listed.length === 0 ? texts.dnc.clear(when) : texts.dnc.listed(listed, when);
}

/** The last person to change state, owner or next step, or an empty text. */
export function lastChangedBy({ timeline }: Lead): string {
  return timeline.filter((entry) => entry.event === "progressed").at(-1)?.client ?? "";
}
