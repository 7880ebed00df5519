import { useEffect, useRef, useState } from "react";
import type { Page, Row } from "./api.ts";
import { useDesk, useTask } from "./context.ts";
import { inWords } from "./time.ts";

/** As fast as one types, without a request for every letter. */
const DEBOUNCE_MS = 300;

type Whose = "mine" | "all";

export function ListPage() {
  const { api, texts } = useDesk();
  const { busy, failure, run } = useTask();
  const [whose, setWhose] = useState<Whose>("all");
  const [search, setSearch] = useState("");
  const [due, setDue] = useState<Row[]>([]);
  const [page, setPage] = useState<Page | null>(null);
  const [attempt, setAttempt] = useState(0);
  /** An answer to an earlier question is dropped. */
  const latest = useRef(0);
  const text = search.trim();

  async function read(): Promise<void> {
    latest.current += 1;
    const number = latest.current;
    const [dueToday, first] = await Promise.all([
      text === "" ? api.leads({ whose, due: "true" }) : null,
      api.leads(text === "" ? { whose } : { search: text }),
    ]);
    if (number === latest.current) {
      setDue(dueToday?.leads ?? []);
      setPage(first);
    }
  }

  async function readMore(from: Page): Promise<void> {
    const which = text === "" ? { whose } : { search: text };
    const more = await api.leads({ ...which, after: from.next ?? "" });
    setPage({ leads: [...from.leads, ...more.leads], next: more.next });
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: read anew for another question, and on trying again
  useEffect(() => {
    const timer = window.setTimeout(() => void run(read), text === "" ? 0 : DEBOUNCE_MS);
    return () => window.clearTimeout(timer);
  }, [whose, text, attempt]);

  const isDue = new Set(due.map(({ id }) => id));
  const rest = page?.leads.filter(({ id }) => !isDue.has(id)) ?? [];
  const tab = (each: Whose) => (
    <button
      type="button"
      className="desk-tab"
      aria-pressed={whose === each && text === ""}
      onClick={() => {
        setSearch("");
        setWhose(each);
      }}
    >
      {texts[each]}
    </button>
  );

  return (
    <>
      <h1 className="desk-heading">{texts.list}</h1>
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
          onChange={(event) => setSearch(event.target.value)}
        />
      </search>
      <p className="desk-tabs">
        {tab("all")}
        {tab("mine")}
      </p>
      <div aria-live="polite">
        {failure !== null && (
          <div className="desk-panel">
            <p>{failure}</p>
            <button
              type="button"
              className="button button-small"
              onClick={() => setAttempt(attempt + 1)}
            >
              {texts.retry}
            </button>
          </div>
        )}
        {page === null && failure === null && <p className="desk-quiet">{texts.loading}</p>}
        {page !== null && due.length + rest.length === 0 && (
          <p className="desk-quiet">{texts.none[text === "" ? whose : "search"]}</p>
        )}
      </div>
      {due.length > 0 && <Rows heading={texts.dueToday} rows={due} />}
      {rest.length > 0 && <Rows heading={text === "" ? texts[whose] : texts.found} rows={rest} />}
      {page?.next != null && (
        <button
          type="button"
          className="button button-small button-plain"
          disabled={busy}
          onClick={() => void run(() => readMore(page))}
        >
          {texts.more}
        </button>
      )}
    </>
  );
}

function Rows({ heading, rows }: { heading: string; rows: Row[] }) {
  const { language, texts } = useDesk();
  return (
    <section className="desk-rows">
      <h2>{heading}</h2>
      <ul>
        {rows.map(({ id, name, reference, interests, submitted_at, automatic, progress }) => {
          const { state, owner, next_step_at } = progress;
          const next =
            next_step_at !== null && state !== "closed" && state !== "not_a_lead"
              ? texts.nextStep[state](inWords(next_step_at, language))
              : null;
          return (
            <li key={id}>
              <a href={`#/leads/${id}`}>
                <strong>{name}</strong>
                <span>
                  {interests.map((interest) => texts.interests[interest]).join(" · ")} · {reference}
                </span>
                <span>
                  {[texts.states[state], next, texts.whoseIs(owner)].filter(Boolean).join(" · ")}
                </span>
                <span>
                  {texts.received(inWords(submitted_at, language))}
                  {automatic && ` · ${texts.automatic}`}
                </span>
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
