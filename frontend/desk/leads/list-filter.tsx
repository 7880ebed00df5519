import {
  type EmailKind,
  type EmailState,
  isFiltered,
  type ListFilter,
  listAddress,
  type VisitorEmail,
} from "#desk/address.ts";
import type { Me, Row } from "#desk/api.ts";
import { language, texts } from "#desk/language.ts";
import { planIds } from "#desk/plans.ts";
import { daysBetween } from "#desk/time.ts";
import { joined } from "./lead-text.ts";

/** A filter that a person can remove. */
interface Chip {
  text: string;
  /** The filter without it. */
  rest: ListFilter;
}

/** The filters of a list in words. Start and end of the period are one chip. */
export function chipsOf(filter: ListFilter, zone: string): Chip[] {
  const { campaign, source, referrer, plans, owner, from, before, ...others } = filter;
  const { contacted, visit_booked, visitor_email, emailed_from } = filter;
  const { filters } = texts;
  const named = (value: string | undefined, none: string) => (value === "" ? none : value);
  const { interest, language: spoken, visit_time, state, closing_reason } = others;
  const chips: [(keyof ListFilter)[], string, string | undefined][] = [
    [["campaign"], filters.campaign, named(campaign, filters.none)],
    [["source"], filters.source, named(source, filters.none)],
    [["referrer"], filters.referrer, named(referrer, filters.none)],
    [["plans"], filters.plan, plans?.map((id) => named(id, filters.none)).join(", ")],
    [["interest"], filters.interest, interest && texts.interests[interest]],
    [["language"], texts.fields.language, spoken && languageName(spoken)],
    [["visit_time"], filters.visitTime, visit_time && texts.visitTimes[visit_time]],
    [["state"], filters.state, state && texts.states[state]],
    [["closing_reason"], filters.reason, reasonText(closing_reason)],
    [["owner"], filters.owner, owner === "" ? texts.whoseIs("") : owner],
    [["contacted"], filters.contacted, contacted && filters.answers[contacted]],
    [["visit_booked"], filters.visitBooked, visit_booked && filters.answers[visit_booked]],
    [["visitor_email"], filters.visitorEmail, visitor_email && emailText(visitor_email)],
    [["emailed_from"], filters.emailed, daysBetween(emailed_from, undefined, language, zone)],
    [["from", "before"], filters.received, daysBetween(from, before, language, zone)],
  ];
  return chips.flatMap(([names, label, value]) =>
    value === undefined
      ? []
      : [{ text: filters.chip(label, value), rest: without(filter, ...names) }],
  );
}

function reasonText(reason: ListFilter["closing_reason"]): string | undefined {
  return reason === "" ? texts.filters.none : reason && texts.reasons[reason];
}

function emailText(email: VisitorEmail): string {
  const [kind, state] = email.split("-") as [EmailKind, EmailState];
  const { emailKinds, emailStates } = texts.filters;
  return joined(emailKinds[kind], emailStates[state]);
}

function languageName(spoken: string): string {
  return spoken === "zh" ? texts.languages.zh : texts.languages.en;
}

function without(filter: ListFilter, ...names: (keyof ListFilter)[]): ListFilter {
  const kept = Object.entries(filter).filter(([name]) => !names.includes(name as keyof ListFilter));
  return Object.fromEntries(kept);
}

interface FiltersProps {
  filter: ListFilter;
  /** The loaded rows, whose sources and campaigns are offered. */
  rows: Row[];
  me: Me;
}

/** The filters of the list: those that apply as chips, and choices to add others. */
export function Filters({ filter, rows, me }: FiltersProps) {
  const chips = chipsOf(filter, me.time_zone);
  return (
    <div className="desk-filters">
      {isFiltered(filter) && (
        <ul className="desk-chips" aria-label={texts.filters.legend}>
          {chips.map(({ text, rest }) => (
            <li key={text}>
              <a className="chip" href={listAddress(rest)} aria-label={texts.filters.remove(text)}>
                <span>
                  {text}
                  <span aria-hidden="true">{"\u00a0×"}</span>
                </span>
              </a>
            </li>
          ))}
          {chips.length > 1 && (
            <li>
              <a className="desk-link" href="#/leads">
                {texts.filters.clear}
              </a>
            </li>
          )}
        </ul>
      )}
      <details>
        <summary>{texts.filters.add}</summary>
        <div className="desk-choices">
          <Choice
            label={texts.filters.plan}
            name="plan"
            values={planIds}
            chosen={filter.plans?.length === 1 ? filter.plans[0] : undefined}
            onChoose={(plan) => {
              const rest = without(filter, "plans");
              window.location.hash = listAddress(
                plan === undefined ? rest : { ...rest, plans: [plan] },
              );
            }}
          />
          {(["source", "campaign"] as const).map((name) => (
            <Choice
              key={name}
              label={texts.filters[name]}
              name={name}
              values={valuesIn(rows, name)}
              chosen={filter[name]}
              onChoose={(value) => {
                const rest = without(filter, name);
                window.location.hash = listAddress(
                  value === undefined ? rest : { ...rest, [name]: value },
                );
              }}
            />
          ))}
        </div>
      </details>
    </div>
  );
}

function valuesIn(rows: Row[], name: "source" | "campaign"): string[] {
  const values = rows.flatMap((row) => row[name] || []);
  return [...new Set(values)].sort();
}

interface ChoiceProps {
  label: string;
  name: string;
  values: string[];
  chosen: string | undefined;
  onChoose: (value: string | undefined) => void;
}

/** Precedes values, so that "any" and an empty value differ. */
const MARK = "=";

function Choice({ label, name, values, chosen, onChoose }: ChoiceProps) {
  const offered = chosen === undefined || chosen === "" ? values : [...values, chosen];
  const id = `desk-filter-${name}`;
  return (
    <div>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className="field-input"
        value={chosen === undefined ? "" : `${MARK}${chosen}`}
        onChange={({ target }) =>
          onChoose(target.value === "" ? undefined : target.value.slice(MARK.length))
        }
      >
        <option value="">{texts.filters.any}</option>
        {[...new Set(offered)].map((value) => (
          <option key={value} value={`${MARK}${value}`}>
            {value}
          </option>
        ))}
        <option value={MARK}>{texts.filters.none}</option>
      </select>
    </div>
  );
}
