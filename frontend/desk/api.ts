import { queryOptions } from "@tanstack/react-query";
import { deadline } from "#shared/api/deadline.ts";
import type { Language } from "#shared/i18n/language.ts";

/** Responses of `services/desk`. Times are ISO 8601 in UTC. */
export const states = ["new", "contacted", "visit_booked", "closed", "invalid"] as const;
export type State = (typeof states)[number];
export const closingReasons = [
  "bought",
  "bought_elsewhere",
  "not_interested",
  "unreachable",
  "other",
] as const;
export type ClosingReason = (typeof closingReasons)[number];
export const interests = ["showflat", "brochure", "purchase"] as const;
export type Interest = (typeof interests)[number];

/** Parts of the week in which a visitor can come to the show flat. */
export const visitTimes = [
  "weekday-mornings",
  "weekday-afternoons",
  "weekday-evenings",
  "weekend-mornings",
  "weekend-afternoons",
  "weekend-evenings",
] as const;
export type VisitTime = (typeof visitTimes)[number];

export interface Me {
  name: string;
  people: string[];
  /** IANA name of the sales team's time zone. */
  time_zone: string;
  may_send_brochures: boolean;
  /** An older desk does not send it. */
  may_see_report?: boolean;
  /** How long a visitor may wait for the first contact; 0: without limit. An older desk does not send it. */
  reminder_minutes?: number;
}

/** State, owner and next step of a lead. */
export interface Standing {
  state: State;
  /** Empty if the lead is unassigned. */
  owner: string;
  next_step_at: string | null;
  closing_reason: ClosingReason | null;
}

export interface Progress extends Standing {
  /** When the visitor was first contacted. */
  contacted_at: string | null;
  /** Version for `seen`; `null` before the first change. */
  changed_at: string | null;
}

/** Why a lead may be automatic. */
export type Signal = "too_fast" | "links" | "canary" | "trapped" | "no_session";

export const channels = ["phone", "message"] as const;
export type Channel = (typeof channels)[number];

export const consentMeans = ["in_person", "signed_form", "phone_call", "message"] as const;
export type ConsentMeans = (typeof consentMeans)[number];

/** The result of looking up a number in the Do Not Call registry. */
export interface DncCheck {
  checked_at: string;
  /** The channels for which the registry lists the number. */
  listed: Channel[];
}

interface Named {
  id: string;
  reference: string;
  submitted_at: string;
  interests: Interest[];
}

export interface AskedPlan {
  id: string;
  /** In the visitor's language. */
  name: string;
  names: Record<Language, string>;
  /** In square feet. An older desk does not send it. */
  area?: string;
}

interface Visitor extends Named {
  name: string;
  signals: Signal[];
  form_seconds: number | null;
  /** E.164; `null` if the typed text is not a valid number. */
  phone: string | null;
  /** Whether the number may have WhatsApp. */
  takes_messages: boolean;
  /** The plan that the visitor asks about. */
  plan: AskedPlan | null;
  /** The homes that the visitor looks for. An older desk does not send it. */
  homes?: Record<Language, string> | null;
  /** Set for all leads of the person, or by a withdrawal for all leads of the mailbox. */
  do_not_contact: boolean;
  /** Channels besides email that the visitor agreed to. */
  channels: Channel[];
}

export interface Row extends Visitor {
  progress: Progress;
  /** When the visitor asked for erasure. */
  erasure_requested_at: string | null;
  /** `utm_source` of the visit; empty if there is none. An older desk does not send it. */
  source?: string;
  /** `utm_campaign` of the visit; empty if there is none. An older desk does not send it. */
  campaign?: string;
}

/** An event of the history, with its fields in the contract. `client` is its author. */
export type Entry = { at: string } & (
  | { event: "submitted" | "conflicting" | "erasure_requested" }
  | { event: "entered"; client: string; consent_means: ConsentMeans | null }
  | { event: "dnc_checked"; client: string; check: DncCheck }
  | { event: "delivered"; recipient: "visitor" | "brochure" }
  | ({ event: "progressed"; client: string } & Standing)
  | { event: "consented"; channels: Channel[]; wording: string; privacy_policy_version: string }
  | { event: "noted"; client: string; text: string }
  | {
      event: "name_corrected" | "number_corrected" | "email_corrected";
      client: string;
      from: string;
      to: string;
    }
  | { event: "contact_changed"; client: string; allowed: boolean }
);

export interface Lead extends Visitor {
  mobile: string;
  /** The dialled number, if its digits differ from the typed digits. */
  dialled: string | null;
  country_code_added: boolean;
  email: string;
  language: "en" | "zh";
  questions: string;
  /** When the visitor could come to the show flat. */
  visit_times: { id: string; name: Record<Language, string> }[];
  /** Without a login, whether a colleague corrected a field after the email. The lead then has the submitted value. */
  was_corrected: boolean;
  same_number: string[];
  /** When the visitor of another mailbox with the same number asked not to be contacted. */
  number_withdrawn_at: string | null;
  /** When the visitor withdrew their consent, if the lead is marked because of it. */
  withdrawn_at: string | null;
  /** The last result of the Do Not Call registry for the current number. `null` if the browser is not logged in. */
  dnc_check: DncCheck | null;
  /** `null` if the browser is not logged in. The lead then has only the content of the email. */
  progress: Progress | null;
  related: (Omit<Named, "id"> & { lead_id: string; state: State })[];
  timeline: Entry[];
}

export interface Opened {
  me: Me | null;
  /** The person of the link. */
  invited: string;
  /** Whether the link can log in, unless it is already used. */
  may_log_in: boolean;
  time_zone: string;
  lead: Lead;
}

export interface Page {
  leads: Row[];
  next: string | null;
}

export interface Change {
  state?: State;
  owner?: string;
  next_step_at?: string;
  closing_reason?: ClosingReason;
  note?: string;
  do_not_contact?: boolean;
  /** The withdrawal that the page shows. Required, with a note, to allow contact again after a withdrawal. */
  seen_withdrawn_at?: string;
  /** The corrected name. */
  name?: string;
  /** The corrected phone number. */
  mobile?: string;
  /** The corrected email address. */
  email?: string;
  dnc_check?: DncCheck;
  /** Required with a state or an owner. The desk rejects the change if the lead has changed since this version. */
  seen?: string | null;
}

/** Numbers of addresses that asked for the brochure. */
export interface Brochure {
  asked: number;
  /** Addresses that can still get the brochure. */
  left: number;
  waiting: number;
  delivered: number;
  /** Failed deliveries. */
  failed: number;
  do_not_contact: number;
}

/** A failed call with the server's code, or `unreachable`. */
export class DeskError extends Error {
  readonly code: string;
  readonly retryAfterSeconds: number;

  constructor(code: string, retryAfterSeconds = 0) {
    super(code);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof DeskError && codes.includes(error.code);
}

/** Why a link opens no lead. */
const linkFailures = ["expired_link", "invalid_link", "no_such_lead"] as const;
export type LinkFailure = (typeof linkFailures)[number];

/** Why a link opens no lead, or `null` if the call failed for another reason. */
export function linkFailureOf(error: unknown): LinkFailure | null {
  return linkFailures.find((code) => hasCode(error, code)) ?? null;
}

const TIMEOUT_MS = 10_000;

/** Calls the desk's server. */
export async function call<Answer>(
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Answer> {
  const post = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(`/desk/api/${path}`, {
    ...(body === undefined ? {} : post),
    signal: deadline(TIMEOUT_MS, signal),
  }).catch(() => {
    throw new DeskError("unreachable");
  });
  const answer = response.status === 204 ? null : await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) {
    return answer;
  }
  const retryAfter = Number(response.headers.get("Retry-After"));
  throw new DeskError(answer?.error?.code ?? "unavailable", retryAfter);
}

export interface Mailed {
  mailbox: string | null;
  /** Why this request sent no email, and until when. An older desk does not send it. */
  unsent?: { reason: "recent" | "limit"; until: string } | null;
}

/** Which leads a list has. */
export type ListQuery = Record<string, string | boolean | string[]>;

export const api = {
  open: (key: string) => call<Opened>("key", { key }),
  /** The same browser may repeat the call for two minutes, after a lost response. */
  logIn: (key: string, browser: string) => call<Opened>("log-in", { key, browser }),
  /** Requests an email with a login link for the key's person, whose masked address is returned, or for a colleague. */
  mailLink: (key: string, email?: string) => call<Mailed>("link", { key, email }),
  me: () => call<Me>("me"),
  /** Ends this session, or all of the person's. */
  logOut: (everywhere: boolean) => call<null>("log-out", { everywhere }),
  /** A POST, because the search text is personal and addresses are logged. */
  leads: (which: ListQuery, signal?: AbortSignal) => call<Page>("leads", which, signal),
  lead: (id: string) => call<Lead>(`leads/${id}`),
  change: (id: string, change: Change) => call<Lead>(`leads/${id}`, change),
  /** Stores a lead that the person entered for a visitor, once for each `key`. */
  enter: (form: { key: string }) => call<Lead>("new-lead", form),
  brochure: () => call<Brochure>("brochure"),
  /** Requests a limited number of emails. Repeat the call while some are left. */
  sendBrochure: () => call<Brochure>("brochure", {}),
  /** Emails the brochure to the logged-in person, like to the visitor of a lead. */
  testBrochure: (lead: string) => call<null>("brochure/test", { lead }),
};

/** All pages of a list that is never long. */
export async function allLeads(which: ListQuery, signal?: AbortSignal): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page: Page = await api.leads({ ...which, after }, signal);
    rows.push(...page.leads);
    after = page.next;
  }
  return rows;
}

/** Sorts leads by next step, earliest first. */
export function byNextStep(one: Row, other: Row): number {
  const at = ({ progress }: Row) => Date.parse(progress.next_step_at ?? "");
  return at(one) - at(other);
}

/** Sorts leads by the time of their request for erasure, oldest first. */
export function byErasureRequest(one: Row, other: Row): number {
  const at = (row: Row) => Date.parse(row.erasure_requested_at ?? "");
  return at(one) - at(other);
}

export function leadQuery(id: string) {
  return queryOptions({ queryKey: ["lead", id], queryFn: () => api.lead(id) });
}
