import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { api, type Me, type Row } from "./api.ts";
import { SendBrochure } from "./brochure.tsx";
import { Button, errorText, Failed, Heading } from "./elements.tsx";
import { texts } from "./page.ts";
import { useWords } from "./session.ts";
import { interestsIn, joined, standing } from "./story.ts";

/** As fast as one types, without a request for every letter. */
const DEBOUNCE_MS = 300;

type Whose = "mine" | "all";

/** A list, with the leads of it that are due; or what a search finds among all leads. */
function listQuery(whose: Whose, search: string) {
  const isSearch = search !== "";
  const which = isSearch ? { search } : { whose };
  return infiniteQueryOptions({
    queryKey: ["leads", which],
    queryFn: async ({ pageParam: after, signal }) => {
      const isFirst = after === "";
      if (isSearch && isFirst) {
        await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS));
        signal.throwIfAborted();
      }
      const [page, due] = await Promise.all([
        api.leads({ ...which, after }),
        isFirst && !isSearch ? readDue(whose) : [],
      ]);
      return { ...page, due };
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
}

/** All leads whose next step is due, the earliest first. */
async function readDue(whose: Whose): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page = await api.leads({ whose, due: true, after });
    rows.push(...page.leads);
    after = page.next;
  }
  const nextStep = ({ progress }: Row) => Date.parse(progress.next_step_at ?? "");
  return rows.sort((one, other) => nextStep(one) - nextStep(other));
}

export function ListPage({ me }: { me: Me }) {
  const [whose, setWhose] = useState<Whose>("all");
  const [search, setSearch] = useState("");
  const text = search.trim();
  const list = useInfiniteQuery(listQuery(whose, text));
  const pages = list.data?.pages ?? [];
  const due = pages[0]?.due ?? [];
  const isDue = new Set(due.map(({ id }) => id));
  const rest = pages.flatMap(({ leads }) => leads).filter(({ id }) => !isDue.has(id));

  /** Where the page was scrolled to when a lead was opened. */
  const scroll = useRef(0);
  useLayoutEffect(() => {
    window.scrollTo({ top: scroll.current, behavior: "instant" });
    return () => {
      scroll.current = window.scrollY;
    };
  }, []);

  function announcement(): string {
    if (list.isPending) {
      return texts.loading;
    }
    if (list.isSuccess && due.length + rest.length === 0) {
      return texts.none[text === "" ? whose : "search"];
    }
    return list.isSuccess && text !== "" ? texts.foundCount(rest.length, !list.hasNextPage) : "";
  }

  const tab = (each: Whose) => (
    <button
      type="button"
      className="desk-tab"
      aria-pressed={whose === each && text === ""}
      onClick={() => {
        setWhose(each);
        setSearch("");
      }}
    >
      {texts[each]}
    </button>
  );

  return (
    <>
      <Heading>{texts.list}</Heading>
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
          onChange={(event) => setSearch(event.target.value)}
        />
      </search>
      <p className="desk-tabs">
        {tab("all")}
        {tab("mine")}
      </p>
      {list.isError && <Failed text={errorText(list.error)} onRetry={() => void list.refetch()} />}
      <p className="desk-quiet" role="status">
        {announcement()}
      </p>
      {due.length > 0 && <Rows heading={texts.due} rows={due} />}
      {rest.length > 0 && <Rows heading={text === "" ? texts[whose] : texts.found} rows={rest} />}
      {list.hasNextPage && (
        <Button plain busy={list.isFetching} onClick={() => void list.fetchNextPage()}>
          {texts.more}
        </Button>
      )}
    </>
  );
}

function Rows({ heading, rows }: { heading: string; rows: Row[] }) {
  const words = useWords();
  return (
    <section className="desk-rows">
      <h2>{heading}</h2>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <a href={`#/leads/${row.id}`}>
              <strong>{row.name}</strong>
              <span>{joined(interestsIn(row.interests), row.reference)}</span>
              <span>
                {joined(standing(row.progress, words), row.do_not_contact && texts.forbid)}
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
