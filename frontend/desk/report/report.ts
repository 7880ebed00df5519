import { queryOptions } from "@tanstack/react-query";
import type { Period } from "#desk/address.ts";
import { type ClosingReason, call, type Interest, type State, type VisitTime } from "#desk/api.ts";
import type { Language } from "#shared/i18n/language.ts";

/** A number of leads by a text. An empty text stands for leads without the value. */
export interface Count {
  value: string;
  leads: number;
}

export interface SourceCount extends Count {
  /** Leads for which a visit was ever booked. */
  visits: number;
}

export interface Day {
  /** In the sales team's time zone, such as `2026-11-29`. */
  day: string;
  from: string;
  /** Exclusive. */
  before: string;
  /** Whether the day is today. */
  is_unfinished: boolean;
  /** Includes erased leads. */
  leads: number;
  /** By the interest that commits the visitor most, so that the numbers add up. */
  interests: { interest: Interest; leads: number }[];
  erased: number;
  canaries: number;
  spam: number;
}

export interface Headline {
  /** Since Monday. */
  this_week: number;
  /** Of the week before, until the same weekday and time. */
  week_before_so_far: number;
  week_before: number;
  /** People without a first contact now. */
  waiting: number;
  /** Leads of the period, without erased ones. */
  leads: number;
  agreed_to_calls: number;
  /** Leads in the median. */
  contacted: number;
  /** `null` if nobody was contacted. */
  median_to_contact_seconds: number | null;
}

export interface OwnerCount {
  /** Empty: nobody. */
  owner: string;
  leads: number;
  open: number;
  /** Open leads with a planned next step. */
  follow_ups: number;
  /** Follow-ups whose time has passed. */
  overdue: number;
  median_to_contact_seconds: number | null;
}

/** Emails to visitors. */
export interface Deliveries {
  kind: "confirmation" | "brochure";
  delivered: number;
  waiting: number;
  failed: number;
  cancelled: number;
  reasons: { state: "waiting" | "failed" | "cancelled"; reason: string; deliveries: number }[];
}

/** The figures of a period, without names of visitors. Lists have the largest number first, without zeros. */
export interface Report {
  computed_at: string;
  time_zone: string;
  /** Start of the period, inclusive. */
  from: string;
  /** End of the period, exclusive. */
  before: string;
  headline: Headline;
  /** Oldest first, without gaps. */
  days: Day[];
  sources: {
    campaigns: SourceCount[];
    sources: SourceCount[];
    referrers: SourceCount[];
    entered_by_hand: number;
  };
  wishes: {
    plans: Count[];
    bedrooms: { bedrooms: number; leads: number }[];
    interests: { interest: Interest; leads: number }[];
    languages: { language: Language; leads: number }[];
    visit_times: { value: VisitTime; leads: number }[];
  };
  outcome: {
    states: { state: State; leads: number }[];
    reached_contact: number;
    reached_visit: number;
    closing_reasons: { closing_reason: ClosingReason | null; leads: number }[];
    owners: OwnerCount[];
  };
  deliveries: Deliveries[];
}

export function reportQuery(days: Period) {
  return queryOptions({
    queryKey: ["report", days],
    queryFn: ({ signal }) => call<Report>(`report?days=${days}`, undefined, signal),
  });
}
