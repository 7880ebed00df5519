import { languages } from "#i18n/language.ts";
import {
  type ClosingReason,
  closingReasons,
  type Interest,
  interests,
  type State,
  states,
  type VisitTime,
  visitTimes,
} from "./api.ts";

/** The numbers of days that the report can show. */
export const periods = [7, 30, 90] as const;
export type Period = (typeof periods)[number];

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
  closing_reason?: ClosingReason;
  owner?: string;
  /** Start of the period of submission, inclusive, in ISO 8601. */
  from?: string;
  /** End of the period of submission, exclusive, in ISO 8601. */
  before?: string;
}

/** A view of the desk, which the fragment of the address names. */
export type View =
  | { name: "list"; filter: ListFilter }
  /** `id` may also be a reference. */
  | { name: "lead"; id: string }
  | { name: "new" }
  | { name: "report"; days: Period };

/** Parses the fragment of an address. An unknown one is the list without a filter. */
export function viewOf(hash: string): View {
  const [path = "", query = ""] = hash.split("?");
  const [, id] = /^#\/leads\/([0-9A-Za-z-]+)$/.exec(path) ?? [];
  if (id !== undefined) {
    return { name: "lead", id };
  }
  const parameters = new URLSearchParams(query);
  switch (path) {
    case "#/new":
      return { name: "new" };
    case "#/report":
      return { name: "report", days: periodIn(parameters) };
    default:
      return { name: "list", filter: filterIn(parameters) };
  }
}

export function reportAddress(days: Period): string {
  return days === 30 ? "#/report" : `#/report?days=${days}`;
}

/** The address of the list with a filter. */
export function listAddress({ plans = [], ...texts }: ListFilter): string {
  const parameters = new URLSearchParams();
  for (const name of textNames) {
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

function periodIn(parameters: URLSearchParams): Period {
  const asked = Number(parameters.get("days"));
  return periods.find((period) => period === asked) ?? 30;
}

/** Returns whether a value of an address is one that the desk's server accepts. */
type Check = (value: string) => boolean;

const isAny: Check = () => true;
const isOneOf =
  (values: readonly string[]): Check =>
  (value) =>
    values.includes(value);
const isTime: Check = (value) =>
  /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));

const checks = {
  campaign: isAny,
  source: isAny,
  referrer: isAny,
  interest: isOneOf(interests),
  language: isOneOf(languages),
  visit_time: isOneOf(visitTimes),
  state: isOneOf(states),
  closing_reason: isOneOf(closingReasons),
  owner: isAny,
  from: isTime,
  before: isTime,
} satisfies Record<keyof Omit<ListFilter, "plans">, Check>;

const textNames = Object.keys(checks) as (keyof typeof checks)[];

function filterIn(parameters: URLSearchParams): ListFilter {
  const given = textNames.flatMap((name) => {
    const value = parameters.get(name);
    return value !== null && checks[name](value) ? [[name, value]] : [];
  });
  const plans = parameters.getAll("plan");
  return { ...Object.fromEntries(given), ...(plans.length > 0 && { plans }) };
}
