import { type Dispatch, type SetStateAction, useEffect, useLayoutEffect, useState } from "react";
import type { Me, Page, Row } from "./api.ts";
import { SendBrochure } from "./brochure.tsx";
import { useDesk, useOnReturn, useTask, useWords } from "./context.ts";
import { Button, Failed, Heading } from "./elements.tsx";
import { interestsIn, joined, standing } from "./story.ts";

/** As fast as one types, without a request for every letter. */
const DEBOUNCE_MS = 300;

type Whose = "mine" | "all";

/** Outlives the page, so that one comes back from a lead to the list as it was. */
export interface ListState {
  whose: Whose;
  search: string;
  /** The answer to this question; `null` while there is none. */
  answer: (Page & { due: Row[] }) | null;
  scroll: number;
}

export const firstList: ListState = { whose: "all", search: "", answer: null, scroll: 0 };

interface Props {
  me: Me;
  state: ListState;
  setState: Dispatch<SetStateAction<ListState>>;
}

export function ListPage({ me, state, setState }: Props) {
  const { api, texts } = useDesk();
  const { busy, failure, run } = useTask();
  const [attempt, setAttempt] = useState(0);
  const { whose, search, answer } = state;
  const text = search.trim();
  const which: Record<string, string> = text === "" ? { whose } : { search: text };

  function ask(question: Partial<ListState>): void {
    setState((now) => {
      const next = { ...now, ...question };
      return isSameQuestion(next, now) ? next : { ...next, answer: null };
    });
  }

  /** Shows an answer, unless something else was asked meanwhile. */
  function show(next: ListState["answer"]): void {
    setState((now) => (isSameQuestion(now, state) ? { ...now, answer: next } : now));
  }

  /** Reads page after page until there are so many rows, or no more. */
  async function read(which: Record<string, string>, rows: number, after = ""): Promise<Page> {
    const leads: Row[] = [];
    let next: string | null = after;
    do {
      const page: Page = await api.leads({ ...which, after: next });
      leads.push(...page.leads);
      next = page.next;
    } while (next !== null && leads.length < rows);
    return { leads, next };
  }

  async function readAgain(): Promise<void> {
    const [due, page] = await Promise.all([
      text === "" ? read({ whose, due: "true" }, Number.POSITIVE_INFINITY) : null,
      read(which, answer?.leads.length ?? 1),
    ]);
    show({ ...page, due: (due?.leads ?? []).sort((a, b) => nextStepOf(a) - nextStepOf(b)) });
  }

  async function readMore(shown: NonNullable<ListState["answer"]>): Promise<void> {
    const more = await read(which, 1, shown.next ?? "");
    show({ ...shown, leads: [...shown.leads, ...more.leads], next: more.next });
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: read anew for another question, and on trying again
  useEffect(() => {
    const timer = window.setTimeout(() => void run(readAgain), text === "" ? 0 : DEBOUNCE_MS);
    return () => window.clearTimeout(timer);
  }, [whose, text, attempt]);

  useOnReturn(() => setAttempt(attempt + 1));

  useLayoutEffect(() => () => setState((now) => ({ ...now, scroll: window.scrollY })), [setState]);

  const due = answer?.due ?? [];
  const isDue = new Set(due.map(({ id }) => id));
  const rest = answer?.leads.filter(({ id }) => !isDue.has(id)) ?? [];
  const tab = (each: Whose) => (
    <button
      type="button"
      className="desk-tab"
      aria-pressed={whose === each && text === ""}
      onClick={() => ask({ whose: each, search: "" })}
    >
      {texts[each]}
    </button>
  );

  function announcement(): string {
    if (answer === null) {
      return failure === null ? texts.loading : "";
    }
    if (due.length + rest.length === 0) {
      return texts.none[text === "" ? whose : "search"];
    }
    return text === "" ? "" : texts.foundCount(rest.length, answer.next === null);
  }

  return (
    <>
      <Heading scroll={state.scroll}>{texts.list}</Heading>
      {me.may_send_brochures && <SendBrochure />}
      <search>
        <label className="field-label" htmlFor="desk-search">
          {texts.search}
        </label>
        <input
          id="desk-search"
          className="field-input"
          type="search"
          maxLength={255}
          autoComplete="off"
          value={search}
          onChange={(event) => ask({ search: event.target.value })}
        />
      </search>
      <p className="desk-tabs">
        {tab("all")}
        {tab("mine")}
      </p>
      {failure !== null && <Failed text={failure} onRetry={() => setAttempt(attempt + 1)} />}
      <p className="desk-quiet" role="status">
        {announcement()}
      </p>
      {due.length > 0 && <Rows heading={texts.due} rows={due} />}
      {rest.length > 0 && <Rows heading={text === "" ? texts[whose] : texts.found} rows={rest} />}
      {answer !== null && answer.next !== null && (
        <Button plain busy={busy} onClick={() => void run(() => readMore(answer))}>
          {texts.more}
        </Button>
      )}
    </>
  );
}

/** A search is among all leads. */
function isSameQuestion(one: ListState, other: ListState): boolean {
  const text = one.search.trim();
  return text === other.search.trim() && (text !== "" || one.whose === other.whose);
}

function nextStepOf({ progress }: Row): number {
  return Date.parse(progress.next_step_at ?? "");
}

function Rows({ heading, rows }: { heading: string; rows: Row[] }) {
  const { texts } = useDesk();
  const words = useWords();
  return (
    <section className="desk-rows">
      <h2>{heading}</h2>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <a href={`#/leads/${row.id}`}>
              <strong>{row.name}</strong>
              <span>{joined(interestsIn(texts, row.interests), row.reference)}</span>
              <span>
                {joined(standing(texts, row.progress, words), row.do_not_contact && texts.forbid)}
              </span>
              <span>
                {joined(texts.received(words(row.submitted_at)), row.automatic && texts.automatic)}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
