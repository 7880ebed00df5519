import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { isFiltered, type ListFilter, listAddress, reportAddress } from "#desk/address.ts";
import { allLeads, api, type ListQuery, type Me, type Page, type Row } from "#desk/api.ts";
import { SendBrochure } from "#desk/brochure/brochure.tsx";
import { texts } from "#desk/language.ts";
import { inDays } from "#desk/time.ts";
import { Button } from "#desk/ui/button.tsx";
import { errorText } from "#desk/ui/error-text.ts";
import { Failed } from "#desk/ui/failed.tsx";
import { Heading } from "#desk/ui/heading.tsx";
import { useNow } from "#desk/ui/use-now.ts";
import { Filters } from "./list-filter.tsx";
import { Rows } from "./list-rows.tsx";
import { sectionsOf } from "./list-sections.ts";

/** Milliseconds after the last key before a search, to avoid a request for every letter. */
const DEBOUNCE_MS = 300;

/** Of an older desk, which does not send the minutes of the routes. */
const DEFAULT_PATIENCE_MINUTES = 15;

/** How long the results of a search are kept, because they are personal and every letter has its own. */
const SEARCH_GC_MS = 60_000;

/** Shown until all lists are loaded, because each lead is in one section. */
const nothing = { toErase: [], due: [], dueUntil: null, mine: [], rows: [] };

/** The pages of a list: all open leads, leads that match a filter, due leads, or the results of a search. */
function listQuery(which: ListQuery) {
  const isSearch = which["search"] !== undefined;
  return infiniteQueryOptions({
    queryKey: ["leads", which],
    gcTime: isSearch ? SEARCH_GC_MS : Number.POSITIVE_INFINITY,
    queryFn: async ({ pageParam: after, signal }) => {
      if (isSearch && after === "") {
        await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS));
        signal.throwIfAborted();
      }
      return api.leads({ ...which, after }, signal);
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
}

/** All leads to erase, few because each has to be erased within days. */
function toEraseQuery(filter: ListFilter) {
  return queryOptions({
    queryKey: ["leads", "to erase", filter],
    queryFn: ({ signal }) => allLeads({ ...filter, erasure_requested: true }, signal),
  });
}

function rowsIn(list: { data?: InfiniteData<Page> | undefined }): Row[] {
  return list.data?.pages.flatMap(({ leads }) => leads) ?? [];
}

export function ListPage({ me, filter }: { me: Me; filter: ListFilter }) {
  const [search, setSearch] = useState("");
  const now = useNow();
  const text = search.trim();
  const isSearch = text !== "";
  const list = useInfiniteQuery({
    ...listQuery(isSearch ? { ...filter, search: text } : { ...filter }),
    // The results of the previous text stay until those of the next one are there.
    placeholderData: (previous, query) =>
      isSearch && query?.queryKey[1]?.["search"] !== undefined ? previous : undefined,
  });
  const due = useInfiniteQuery({ ...listQuery({ ...filter, due: true }), enabled: !isSearch });
  // With a filter, the list of all leads has the person's too, also finished ones.
  const isMineListed = !isSearch && !isFiltered(filter);
  const mine = useInfiniteQuery({ ...listQuery({ mine: true }), enabled: isMineListed });
  const erasures = useQuery({ ...toEraseQuery(filter), enabled: !isSearch });
  const queries = isSearch ? [list] : [list, due, erasures, ...(isMineListed ? [mine] : [])];
  const isPending = queries.some((query) => query.isPending);
  const failed = queries.find((query) => query.isError);
  const rows = rowsIn(list);
  const loaded = {
    toErase: erasures.data ?? [],
    due: rowsIn(due),
    dueUntil: due.hasNextPage ? Date.parse(inDays(me.time_zone, 1, 0, new Date(now))) : null,
    mine: isMineListed ? rowsIn(mine) : [],
    rows,
  };
  const sections = sectionsOf(isPending ? nothing : loaded, me.name);
  // Other sections may have more leads on pages that are not loaded.
  const more = list.hasNextPage ? "+" : "";
  const shared = { now, patience: me.reminder_minutes ?? DEFAULT_PATIENCE_MINUTES };

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
    if (failed !== undefined) {
      return "";
    }
    if (isPending) {
      return texts.loading;
    }
    if (Object.values(isSearch ? [rows] : sections).every(({ length }) => length === 0)) {
      return texts.none[isSearch ? "search" : isFiltered(filter) ? "filter" : "all"];
    }
    return isSearch || isFiltered(filter) ? texts.foundCount(rows.length, !list.hasNextPage) : "";
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
      {failed !== undefined && (
        <Failed
          text={errorText(failed.error)}
          onRetry={() => queries.filter(({ isError }) => isError).map((query) => query.refetch())}
        />
      )}
      <p className="desk-quiet" role="status">
        {announcement()}
      </p>
      {isSearch ? (
        <Rows heading={texts.found} rows={rows} {...shared} more={more} isFound />
      ) : (
        <>
          <Rows heading={texts.toErase} rows={sections.toErase} {...shared} />
          <Rows heading={texts.due} rows={sections.due} {...shared} pages={due} />
          <Rows
            heading={texts.untouched}
            rows={sections.untouched}
            {...shared}
            more={more}
            state="new"
          />
          {isMineListed ? (
            <Rows heading={texts.mine} rows={sections.mine} {...shared} pages={mine} />
          ) : (
            <Rows heading={texts.mine} rows={sections.mine} {...shared} more={more} />
          )}
          <Rows heading={texts.later} rows={sections.later} {...shared} more={more} />
          <Rows heading={texts.finished} rows={sections.finished} {...shared} more={more} />
        </>
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
