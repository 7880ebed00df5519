import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { isFiltered, type ListFilter, listAddress, reportAddress } from "./address.ts";
import { allLeads, api, type ListQuery, type Me } from "./api.ts";
import { SendBrochure } from "./brochure.tsx";
import { Button, errorText, Failed, Heading } from "./elements.tsx";
import { Filters } from "./list-filter.tsx";
import { Rows } from "./list-rows.tsx";
import { sectionsOf } from "./list-sections.ts";
import { texts } from "./page.ts";
import { useNow } from "./use-now.ts";

/** Milliseconds after the last key before a search, to avoid a request for every letter. */
const DEBOUNCE_MS = 300;

/** How long the results of a search are kept, because they are personal and every letter has its own. */
const SEARCH_GC_MS = 60_000;

/**
 * All open leads, or all leads that match a filter, with the person's own, due and to be erased leads, or the results
 * of a search among all of them.
 */
function listQuery(search: string, filter: ListFilter) {
  const isSearch = search !== "";
  const which: ListQuery & { search?: string } = { ...filter, ...(isSearch && { search }) };
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
        isSorted ? allLeads({ ...filter, due: true }, signal) : [],
        // With a filter they include finished leads, which may be too many to load.
        isSorted && !isFiltered(filter) ? allLeads({ mine: true }, signal) : [],
        isSorted ? allLeads({ ...filter, erasure_requested: true }, signal) : [],
      ]);
      return { ...page, due, mine, toErase };
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
}

export function ListPage({ me, filter }: { me: Me; filter: ListFilter }) {
  const [search, setSearch] = useState("");
  const now = useNow();
  const text = search.trim();
  const list = useInfiniteQuery({
    ...listQuery(text, filter),
    // The results of the previous text stay until those of the next one are there.
    placeholderData: (previous, query) =>
      text !== "" && query?.queryKey[1]?.search !== undefined ? previous : undefined,
  });
  const pages = list.data?.pages ?? [];
  const rows = pages.flatMap(({ leads }) => leads);
  const { due = [], mine = [], toErase = [] } = pages[0] ?? {};
  const sections = sectionsOf({ toErase, due, mine, rows }, me.name);
  // Other sections may have more leads on pages that are not loaded.
  const more = list.hasNextPage ? "+" : "";
  const isMineComplete = !isFiltered(filter);

  const address = listAddress(filter);
  /** The list and the scroll position when a lead was opened. */
  const left = useRef({ address, scroll: 0 });
  useLayoutEffect(() => {
    window.scrollTo(0, left.current.address === address ? left.current.scroll : 0);
    return () => {
      left.current = { address, scroll: window.scrollY };
    };
  }, [address]);

  function announcement(): string {
    if (list.isPlaceholderData) {
      return "";
    }
    if (list.isPending) {
      return texts.loading;
    }
    if (list.isSuccess && toErase.length + due.length + rows.length === 0) {
      return texts.none[text !== "" ? "search" : isFiltered(filter) ? "filter" : "all"];
    }
    return list.isSuccess && (text !== "" || isFiltered(filter))
      ? texts.foundCount(rows.length, !list.hasNextPage)
      : "";
  }

  return (
    <>
      <div className="desk-head">
        <Heading>{texts.list}</Heading>
        <div className="desk-head-links">
          {me.may_see_report === true && (
            <a className="desk-link" href={reportAddress(30)}>
              {texts.report}
            </a>
          )}
          <a className="button button-small button-plain" href="#/new">
            {texts.newLead}
          </a>
        </div>
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
      <Filters filter={filter} rows={rows} me={me} />
      {list.isError && <Failed text={errorText(list.error)} onRetry={() => void list.refetch()} />}
      <p className="desk-quiet" role="status">
        {announcement()}
      </p>
      {text === "" ? (
        <>
          <Rows heading={texts.toErase} rows={sections.toErase} now={now} />
          <Rows heading={texts.due} rows={sections.due} now={now} />
          <Rows
            heading={texts.untouched}
            rows={sections.untouched}
            now={now}
            more={more}
            state="new"
          />
          <Rows
            heading={texts.mine}
            rows={sections.mine}
            now={now}
            more={isMineComplete ? "" : more}
          />
          <Rows heading={texts.later} rows={sections.later} now={now} more={more} />
          <Rows heading={texts.finished} rows={sections.finished} now={now} more={more} />
        </>
      ) : (
        <Rows heading={texts.found} rows={rows} now={now} more={more} isFound />
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
