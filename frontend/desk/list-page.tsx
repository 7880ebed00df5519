import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { Icon } from "#ui/icons.tsx";
import {
  allLeads,
  api,
  byErasureRequest,
  byNextStep,
  type Channel,
  type Me,
  type Row,
} from "./api.ts";
import { SendBrochure } from "./brochure.tsx";
import { Button, errorText, Failed, Heading } from "./elements.tsx";
import { language, texts } from "./page.ts";
import { useWords } from "./session.ts";
import { interestsIn, joined, nextStepOf, suspicion } from "./story.ts";
import { age } from "./time.ts";

/** Milliseconds after the last key before a search, to avoid a request for every letter. */
const DEBOUNCE_MS = 300;

/** How long the results of a search are kept, because they are personal and every letter has its own. */
const SEARCH_GC_MS = 60_000;

/** All open leads with the person's own, due and to be erased leads, or the results of a search among all leads. */
function listQuery(search: string) {
  const isSearch = search !== "";
  const which = isSearch ? { search } : {};
  return infiniteQueryOptions({
    queryKey: ["leads", which],
    gcTime: isSearch ? SEARCH_GC_MS : Number.POSITIVE_INFINITY,
    queryFn: async ({ pageParam: after, signal }) => {
      const isFirst = after === "";
      if (isSearch && isFirst) {
        await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS));
        signal.throwIfAborted();
      }
      const isSorted = isFirst && !isSearch;
      const [page, due, mine, toErase] = await Promise.all([
        api.leads({ ...which, after }, signal),
        isSorted ? allLeads({ due: true }, signal) : [],
        isSorted ? allLeads({ mine: true }, signal) : [],
        isSorted ? allLeads({ erasure_requested: true }, signal) : [],
      ]);
      const isToErase = new Set(toErase.map(({ id }) => id));
      return {
        ...page,
        due: due.filter(({ id }) => !isToErase.has(id)).sort(byNextStep),
        mine,
        toErase: toErase.sort(byErasureRequest),
      };
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
}

export function ListPage({ me }: { me: Me }) {
  const [search, setSearch] = useState("");
  const text = search.trim();
  const list = useInfiniteQuery({
    ...listQuery(text),
    // The results of the previous text stay until those of the next one are there.
    placeholderData: (previous, query) =>
      text !== "" && query?.queryKey[1]?.search !== undefined ? previous : undefined,
  });
  const pages = list.data?.pages ?? [];
  const rows = pages.flatMap(({ leads }) => leads);
  const { due = [], mine = [], toErase = [] } = pages[0] ?? {};
  // Leads of the first two sections.
  const isAbove = new Set([...toErase, ...due].map(({ id }) => id));
  const rest = rows.filter(({ id, progress }) => !isAbove.has(id) && progress.owner !== me.name);
  const isUntouched = ({ progress }: Row) => progress.state === "new" && progress.owner === "";
  // Other sections may have more leads on pages that are not loaded.
  const more = list.hasNextPage ? "+" : "";

  /** Scroll position when a lead was opened. */
  const scroll = useRef(0);
  useLayoutEffect(() => {
    window.scrollTo(0, scroll.current);
    return () => {
      scroll.current = window.scrollY;
    };
  }, []);

  function announcement(): string {
    if (list.isPlaceholderData) {
      return "";
    }
    if (list.isPending) {
      return texts.loading;
    }
    if (list.isSuccess && toErase.length + due.length + rows.length === 0) {
      return texts.none[text === "" ? "all" : "search"];
    }
    return list.isSuccess && text !== "" ? texts.foundCount(rows.length, !list.hasNextPage) : "";
  }

  return (
    <>
      <div className="desk-head">
        <Heading>{texts.list}</Heading>
        <a className="button button-small button-plain" href="#/new">
          {texts.newLead}
        </a>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers that the desk supports lack `<search>`. */}
      <div role="search">
        <label className="visually-hidden" htmlFor="desk-search">
          {texts.search}
        </label>
        <input
          id="desk-search"
          className="field-input"
          type="search"
          placeholder={texts.search}
          maxLength={255}
          autoComplete="off"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {list.isError && <Failed text={errorText(list.error)} onRetry={() => void list.refetch()} />}
      <p className="desk-quiet" role="status">
        {announcement()}
      </p>
      {text === "" ? (
        <>
          <Rows heading={texts.toErase} rows={toErase} />
          <Rows heading={texts.due} rows={due} />
          <Rows heading={texts.untouched} rows={rest.filter(isUntouched)} more={more} />
          <Rows heading={texts.mine} rows={mine.filter(({ id }) => !isAbove.has(id))} />
          <Rows heading={texts.later} rows={rest.filter((row) => !isUntouched(row))} more={more} />
        </>
      ) : (
        <Rows heading={texts.found} rows={rows} more={more} isFound />
      )}
      {list.hasNextPage && (
        <Button plain busy={list.isFetching} onClick={() => void list.fetchNextPage()}>
          {texts.more}
        </Button>
      )}
      {me.may_send_brochures && (
        <SendBrochure
          sample={rows.find(({ interests }) => interests.includes("brochure"))?.id ?? null}
        />
      )}
    </>
  );
}

interface RowsProps {
  heading: string;
  rows: Row[];
  /** Shown after the count if there may be more. */
  more?: string;
  /** Whether to show references, because the search text may be one. */
  isFound?: boolean;
}

function Rows({ heading, rows, more = "", isFound = false }: RowsProps) {
  const words = useWords();
  return (
    rows.length > 0 && (
      <section className="desk-rows">
        <h2>
          {heading} <span>{`${rows.length}${more}`}</span>
        </h2>
        <ul>
          {rows.map((row) => {
            const { state, owner, contacted_at } = row.progress;
            const nextStep = nextStepOf(row.progress, words);
            return (
              <li key={row.id}>
                <a className="desk-row" href={`#/leads/${row.id}`}>
                  <strong>{row.name}</strong>
                  <time dateTime={row.submitted_at} title={words(row.submitted_at)}>
                    {age(row.submitted_at, language)}
                  </time>
                  <span className="desk-row-state">
                    {nextStep === "" && (
                      <span className={`desk-state desk-state-${state}`}>
                        {texts.states[state]}
                      </span>
                    )}
                    {joined(
                      row.do_not_contact && texts.forbid,
                      row.erasure_requested_at !== null &&
                        texts.erasureAge(age(row.erasure_requested_at, language)),
                      nextStep,
                      row.plan?.id ?? null,
                      interestsIn(row.interests),
                      isFound && row.reference,
                      suspicion(row),
                      contacted_at !== null &&
                        // A lead that was entered by hand was contacted before.
                        Date.parse(contacted_at) - Date.parse(row.submitted_at) > 2000 &&
                        texts.firstContact(
                          age(row.submitted_at, language, Date.parse(contacted_at)),
                        ),
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
      </section>
    )
  );
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
