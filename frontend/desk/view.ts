import { languages } from "#shared/i18n/language.ts";
import {
  answers,
  emailKinds,
  emailStates,
  type ListFilter,
  type Period,
  periods,
  textFields,
} from "./address.ts";
import { closingReasons, interests, states, visitTimes } from "./api.ts";

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
  closing_reason: isOneOf(["", ...closingReasons]),
  owner: isAny,
  contacted: isOneOf(answers),
  visit_booked: isOneOf(answers),
  visitor_email: isOneOf(
    emailKinds.flatMap((kind) => emailStates.map((state) => `${kind}-${state}`)),
  ),
  emailed_from: isTime,
  from: isTime,
  before: isTime,
} satisfies Record<(typeof textFields)[number], Check>;

function filterIn(parameters: URLSearchParams): ListFilter {
  const given = textFields.flatMap((name) => {
    const value = parameters.get(name);
    return value !== null && checks[name](value) ? [[name, value]] : [];
  });
  const plans = parameters.getAll("plan");
  return { ...Object.fromEntries(given), ...(plans.length > 0 && { plans }) };
}
