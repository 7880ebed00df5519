import type { ClosingReason, Interest, State, VisitTime } from "./api.ts";

/** The numbers of days that the report can show. */
export const periods = [7, 30, 90] as const;
export type Period = (typeof periods)[number];

export const answers = ["yes", "no"] as const;
export type Answer = (typeof answers)[number];

export const emailKinds = ["confirmation", "brochure"] as const;
export type EmailKind = (typeof emailKinds)[number];
export const emailStates = ["delivered", "waiting", "failed", "cancelled"] as const;
export type EmailState = (typeof emailStates)[number];
/** An email to the visitor, and what became of it. */
export type VisitorEmail = `${EmailKind}-${EmailState}`;

/** Which leads a list shows. An empty text stands for leads without the value. */
export interface ListFilter {
  campaign?: string;
  source?: string;
  referrer?: string;
  /** Leads that ask about any of these plans. */
  plans?: string[];
  interest?: Interest;
  language?: string;
  visit_time?: VisitTime;
  state?: State;
  /** An empty text stands for closed leads without a reason. */
  closing_reason?: ClosingReason | "";
  /** The name of a person. */
  owner?: string;
  /** Whether the visitor was ever contacted. */
  contacted?: Answer;
  /** Whether a visit was ever booked. */
  visit_booked?: Answer;
  visitor_email?: VisitorEmail;
  /** Since when the email has been in this state, in ISO 8601. */
  emailed_from?: string;
  /** Start of the period of submission, inclusive, in ISO 8601. */
  from?: string;
  /** End of the period of submission, exclusive, in ISO 8601. */
  before?: string;
}

export function reportAddress(days: Period): string {
  return days === 30 ? "#/report" : `#/report?days=${days}`;
}

/** The fields of a filter with one text, in the order of the address. */
export const textFields = [
  "campaign",
  "source",
  "referrer",
  "interest",
  "language",
  "visit_time",
  "state",
  "closing_reason",
  "owner",
  "contacted",
  "visit_booked",
  "visitor_email",
  "emailed_from",
  "from",
  "before",
] as const satisfies (keyof ListFilter)[];

/** The address of the list with a filter. */
export function listAddress({ plans = [], ...texts }: ListFilter): string {
  const parameters = new URLSearchParams();
  for (const name of textFields) {
    const value = texts[name];
    if (value !== undefined) {
      parameters.set(name, value);
    }
  }
  for (const plan of plans) {
    parameters.append("plan", plan);
  }
  const query = parameters.toString();
  return query === "" ? "#/leads" : `#/leads?${query}`;
}

export function isFiltered(filter: ListFilter): boolean {
  return Object.keys(filter).length > 0;
}
