import type { Channel, Row, State } from "#desk/api.ts";
import { language, texts } from "#desk/language.ts";
import { useFormatTime } from "#desk/session/session.ts";
import { age } from "#desk/time.ts";
import { Button } from "#desk/ui/button.tsx";
import { useMedia } from "#desk/ui/use-media.ts";
import { Icon } from "#shared/ui/icons.tsx";
import { interestsIn, joined, nextStepOf, suspicion } from "./lead-text.ts";
import { isWaitingTooLong } from "./list-sections.ts";

interface RowsProps {
  heading: string;
  rows: Row[];
  now: number;
  /** Shown after the count if there may be more. */
  more?: string;
  /** Whether to show references, because the search text may be one. */
  isFound?: boolean;
  /** The state that the heading names. */
  state?: State;
  /** How long a visitor may wait for the first contact, in minutes; 0: without limit. */
  patience: number;
  /** The list of the section, if a separate query loads its pages. */
  pages?: Pages;
}

/** Loads the pages of a list. */
interface Pages {
  hasNextPage: boolean;
  isFetching: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** A section of the list: a table on wide screens. */
export function Rows({ heading, rows, more = "", pages, ...rest }: RowsProps) {
  const isWide = useMedia("(min-width: 64em)");
  if (rows.length === 0) {
    return null;
  }
  const Layout = isWide ? RowTable : RowList;
  const hasMore = pages?.hasNextPage === true;
  return (
    <section className="desk-rows">
      <h2>
        {heading} <span>{`${rows.length}${hasMore ? "+" : more}`}</span>
      </h2>
      <Layout heading={heading} rows={rows} {...rest} />
      {hasMore && (
        <Button
          plain
          busy={pages.isFetching}
          aria-label={texts.moreOf(heading)}
          onClick={() => void pages.fetchNextPage()}
        >
          {texts.more}
        </Button>
      )}
    </section>
  );
}

type LayoutProps = Omit<RowsProps, "more" | "pages">;

function RowList({ rows, now, isFound = false, state: named, patience }: LayoutProps) {
  const formatTime = useFormatTime();
  return (
    <ul>
      {rows.map((row) => {
        const { state, owner } = row.progress;
        const nextStep = nextStepOf(row.progress, formatTime);
        return (
          <li key={row.id}>
            <a className="desk-row" href={`#/leads/${row.id}`}>
              <strong>{row.name}</strong>
              <Age row={row} now={now} patience={patience} />
              <span className="desk-row-state">
                {nextStep === "" && state !== named && (
                  <span className={`desk-state desk-state-${state}`}>{texts.states[state]}</span>
                )}
                {joined(
                  warnings(row),
                  nextStep,
                  homeOf(row),
                  interestsIn(row.interests),
                  isFound && row.reference,
                  suspicion(row),
                  firstContact(row),
                )}
              </span>
              <span className="desk-row-owner" title={owner}>
                {initials(owner)}
              </span>
            </a>
            {row.phone !== null && !row.do_not_contact && (
              <PhoneNumber phone={row.phone} channels={row.channels} />
            )}
          </li>
        );
      })}
    </ul>
  );
}

function RowTable({ heading, rows, now, isFound = false, patience }: LayoutProps) {
  const formatTime = useFormatTime();
  const { columns } = texts;
  return (
    <table className="desk-table">
      <caption className="visually-hidden">{heading}</caption>
      <thead>
        <tr>
          <th scope="col">{columns.name}</th>
          <th scope="col">{columns.wish}</th>
          <th scope="col">{columns.source}</th>
          <th scope="col">{columns.owner}</th>
          <th scope="col">{columns.state}</th>
          <th scope="col">{columns.nextStep}</th>
          <th scope="col">{columns.age}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const { owner, state, closing_reason } = row.progress;
          const notes = joined(warnings(row), isFound && row.reference, suspicion(row));
          return (
            <tr key={row.id}>
              <th scope="row">
                {/* Covers the row, so the row is one link. */}
                <a href={`#/leads/${row.id}`}>{row.name}</a>
                {notes !== "" && <small>{notes}</small>}
              </th>
              <td>{joined(homeOf(row), interestsIn(row.interests))}</td>
              <td>
                {row.source}
                {row.campaign && <small>{row.campaign}</small>}
              </td>
              <td>{owner === "" ? texts.whoseIs("") : owner}</td>
              <td>
                {texts.states[state]}
                <small>
                  {closing_reason === null ? firstContact(row) : texts.reasons[closing_reason]}
                </small>
              </td>
              <td>{nextStepOf(row.progress, formatTime)}</td>
              <td>
                <Age row={row} now={now} patience={patience} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Age({ row, now, patience }: { row: Row; now: number; patience: number }) {
  const formatTime = useFormatTime();
  const isLate = isWaitingTooLong(row, now, patience);
  return (
    <time
      className={isLate ? "desk-late" : undefined}
      dateTime={row.submitted_at}
      title={formatTime(row.submitted_at)}
    >
      {age(row.submitted_at, language, now)}
      {isLate && <span className="visually-hidden">{` ${texts.notContacted}`}</span>}
    </time>
  );
}

/** The plan that the visitor asks about, or the homes that they look for. */
function homeOf({ plan, homes }: Row): string | null {
  return plan?.id ?? homes?.[language] ?? null;
}

/** What a person has to read before they contact the visitor, or an empty text. */
function warnings({ do_not_contact, erasure_requested_at }: Row): string {
  return joined(
    do_not_contact && texts.forbid,
    erasure_requested_at !== null && texts.erasureAge(age(erasure_requested_at, language)),
  );
}

/** The time to the first contact, or an empty text. */
function firstContact({ submitted_at, progress }: Row): string {
  const { contacted_at } = progress;
  // A lead that was entered by hand was contacted before.
  if (contacted_at === null || Date.parse(contacted_at) - Date.parse(submitted_at) <= 2000) {
    return "";
  }
  return texts.firstContact(age(submitted_at, language, Date.parse(contacted_at)));
}

/** A link if the visitor agreed to calls, or else the number as text with what they agreed to. */
function PhoneNumber({ phone, channels }: { phone: string; channels: Channel[] }) {
  return channels.includes("phone") ? (
    <a className="desk-call" href={`tel:${phone}`} aria-label={`${texts.call} ${phone}`}>
      <Icon path="M6 3h3l2 5-2.5 1.5a12 12 0 0 0 6 6L16 13l5 2v3a3 3 0 0 1-3 3A15 15 0 0 1 3 6a3 3 0 0 1 3-3Z" />
      <span>{phone}</span>
    </a>
  ) : (
    <p className="desk-consent">
      <span>{joined(phone, `${texts.agreed(channels)} ${texts.dnc.missing}`)}</span>
    </p>
  );
}

/** `DK` for Daniel Koh. A Chinese name is not shortened. */
function initials(name: string): string {
  return /^\p{Script=Latin}/u.test(name) ? name.replace(/(\p{L})\S*\s*/gu, "$1") : name;
}
