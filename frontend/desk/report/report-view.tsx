import type { ReactNode } from "react";
import type { ListFilter } from "#desk/address.ts";
import { texts } from "#desk/language.ts";
import { plansWith } from "#desk/plans.ts";
import { type Bar, BarTable } from "./bar-table.tsx";
import { DayChart } from "./day-chart.tsx";
import { DeliveryTable } from "./delivery-table.tsx";
import { percent, total } from "./figures.ts";
import { durationText, figure, paragraph, words } from "./format.ts";
import type { Headline, OwnerCount, Report, SourceCount } from "./report.ts";
import { WeekGrid } from "./week-grid.tsx";

/** The period of a report, as a filter of the list. */
interface ReportPeriod {
  from: string;
  before: string;
}

/** The six blocks of a report. A period without leads has only the first and the last one. */
export function ReportView({ report }: { report: Report }) {
  const { days, headline, sources, wishes, outcome, deliveries } = report;
  const period = { from: report.from, before: report.before };
  const isEmpty = total(days, "leads") === 0;
  return (
    <>
      <Block heading={words.headline.heading}>
        <HeadlineFigures headline={headline} />
      </Block>
      {isEmpty ? (
        <p className="report-none">{words.none(days.length)}</p>
      ) : (
        <Block heading={words.daily.heading}>
          <DayChart days={days} />
        </Block>
      )}
      {headline.leads > 0 && (
        <>
          <Block heading={words.sources.heading}>
            <Sources sources={sources} period={period} />
          </Block>
          <Block heading={words.wishes.heading}>
            <Wishes wishes={wishes} period={period} />
          </Block>
          <Block heading={words.outcome.heading}>
            <Outcome outcome={outcome} leads={headline.leads} period={period} />
          </Block>
        </>
      )}
      <Block heading={words.deliveries.heading}>
        <DeliveryTable deliveries={deliveries} from={report.from} />
      </Block>
    </>
  );
}

function Block({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <section className="report-block">
      <h2>{heading}</h2>
      {children}
    </section>
  );
}

function HeadlineFigures({ headline }: { headline: Headline }) {
  const { headline: labels } = words;
  const figures = [
    {
      label: labels.thisWeek,
      value: figure(headline.this_week),
      note: labels.weekBefore(headline.week_before_so_far, headline.week_before),
    },
    {
      label: labels.waiting,
      value: figure(headline.waiting),
      note: labels.waitingNow(headline.waiting),
    },
    {
      label: labels.median,
      value: durationText(headline.median_to_contact_seconds),
      note: labels.contacted(headline.contacted),
    },
    {
      label: labels.calls,
      value: words.percent(percent(headline.agreed_to_calls, headline.leads)),
      note: labels.agreed(headline.agreed_to_calls, headline.leads),
    },
  ];
  return (
    <dl className="report-headline">
      {figures.map(({ label, value, note }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="report-figure">{value}</dd>
          <dd className="desk-quiet">{note}</dd>
        </div>
      ))}
    </dl>
  );
}

function Sources({ sources, period }: { sources: Report["sources"]; period: ReportPeriod }) {
  const { none, visits, legend, byHand } = words.sources;
  const barsOf = (
    counts: SourceCount[],
    empty: string,
    filterOf: (value: string) => ListFilter,
  ): Bar[] =>
    counts.map(({ value, leads, visits: booked }) => ({
      label: value === "" ? empty : value,
      leads,
      part: booked,
      filter: { ...period, ...filterOf(value) },
      cells: [
        <span key="visits">
          {figure(booked)} <small>{`(${words.percent(percent(booked, leads))})`}</small>
        </span>,
      ],
    }));
  return (
    <>
      <div className="report-grid-wide">
        <BarTable
          caption={words.sources.campaigns}
          columns={[visits]}
          bars={barsOf(sources.campaigns, none.campaigns, (campaign) => ({ campaign }))}
        />
        <BarTable
          caption={words.sources.sources}
          columns={[visits]}
          bars={barsOf(sources.sources, none.sources, (source) => ({ source }))}
        />
        <BarTable
          caption={words.sources.referrers}
          columns={[visits]}
          bars={barsOf(sources.referrers, none.referrers, (referrer) => ({ referrer }))}
        />
      </div>
      <p className="desk-quiet">
        {paragraph(legend, sources.entered_by_hand > 0 && byHand(sources.entered_by_hand))}
      </p>
    </>
  );
}

function Wishes({ wishes, period }: { wishes: Report["wishes"]; period: ReportPeriod }) {
  const { plans, noPlan, bedrooms, rooms, interests, languages, several } = words.wishes;
  return (
    <>
      <div className="report-grid-narrow">
        <BarTable
          caption={plans}
          bars={wishes.plans.map(({ value, leads }) => ({
            label: value === "" ? noPlan : value,
            leads,
            filter: { ...period, plans: [value] },
          }))}
        />
        <BarTable
          caption={bedrooms}
          bars={wishes.bedrooms.map(({ bedrooms: count, leads }) => ({
            label: rooms(count),
            leads,
            filter: { ...period, plans: plansWith(count) },
          }))}
        />
        <div className="report-stack">
          <BarTable
            caption={interests}
            bars={wishes.interests.map(({ interest, leads }) => ({
              label: texts.interests[interest],
              leads,
              filter: { ...period, interest },
            }))}
          />
          <BarTable
            caption={languages}
            bars={wishes.languages.map(({ language, leads }) => ({
              label: texts.languages[language],
              leads,
              filter: { ...period, language },
            }))}
          />
        </div>
        <WeekGrid times={wishes.visit_times} period={period} />
      </div>
      <p className="desk-quiet">{several}</p>
    </>
  );
}

interface OutcomeProps {
  outcome: Report["outcome"];
  /** All leads of the period. */
  leads: number;
  period: ReportPeriod;
}

function Outcome({ outcome, leads, period }: OutcomeProps) {
  const labels = words.outcome;
  const { states, closing_reasons, owners } = outcome;
  const bought = closing_reasons.find(({ closing_reason }) => closing_reason === "bought");
  const steps: Omit<Bar, "cells">[] = [
    { label: labels.allLeads, leads, filter: period },
    {
      label: labels.contacted,
      leads: outcome.reached_contact,
      filter: { ...period, contacted: "yes" },
    },
    {
      label: labels.visit,
      leads: outcome.reached_visit,
      filter: { ...period, visit_booked: "yes" },
    },
    {
      label: texts.reasons.bought,
      leads: bought?.leads ?? 0,
      filter: { ...period, closing_reason: "bought" },
    },
  ];
  return (
    <>
      <div className="report-grid-wide">
        <BarTable
          caption={labels.reached}
          columns={[labels.share]}
          bars={steps.map((step) => ({
            ...step,
            cells: [words.percent(percent(step.leads, leads))],
          }))}
        />
        <BarTable
          caption={labels.states}
          bars={states.map(({ state, leads: count }) => ({
            label: texts.states[state],
            leads: count,
            filter: { ...period, state },
          }))}
        />
        <BarTable
          caption={labels.reasons}
          bars={closing_reasons.map(({ closing_reason, leads: count }) => ({
            label: closing_reason === null ? labels.noReason : texts.reasons[closing_reason],
            leads: count,
            filter: { ...period, closing_reason: closing_reason ?? "" },
          }))}
        />
      </div>
      <div className="report-owners">
        <BarTable
          caption={labels.owners}
          columns={[labels.open, labels.followUps, labels.median]}
          bars={owners.map((each) => ownerBar(each, period))}
        />
      </div>
    </>
  );
}

function ownerBar(each: OwnerCount, period: ReportPeriod): Bar {
  return {
    label: each.owner === "" ? texts.whoseIs("") : each.owner,
    leads: each.leads,
    filter: { ...period, owner: each.owner },
    cells: [
      figure(each.open),
      <span key="follow-ups">
        {figure(each.follow_ups)}{" "}
        {each.overdue > 0 && <small>{words.outcome.overdue(each.overdue)}</small>}
      </span>,
      durationText(each.median_to_contact_seconds),
    ],
  };
}
