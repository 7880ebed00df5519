import { QueryClientProvider, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  Activity,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useState,
  useSyncExternalStore,
} from "react";
import { languageNames, languageTags, otherLanguage } from "#shared/i18n/language.ts";
import { ErrorBoundary } from "#shared/ui/error-boundary.tsx";
import { Wordmark } from "#shared/ui/wordmark.tsx";
import "#shared/ui/field.css";
import { type ListFilter, listAddress } from "./address.ts";
import { api, linkFailureOf } from "./api.ts";
import { language, texts } from "./language.ts";
import { EmailedLead } from "./leads/emailed-lead.tsx";
import { LeadPage } from "./leads/lead.tsx";
import { ListPage } from "./leads/list-page.tsx";
import { NewLeadPage } from "./leads/new-lead.tsx";
import { ReportPage } from "./report/report-page.tsx";
import { LoggedOut } from "./session/invitation.tsx";
import { createClient, endSession, isLink, sessionQuery } from "./session/session.ts";
import { browserId, lastLink } from "./session/storage.ts";
import { errorText } from "./ui/error-text.ts";
import { DeadEnd, Failed, FailedView } from "./ui/failed.tsx";
import { Heading } from "./ui/heading.tsx";
import { viewOf } from "./view.ts";

const crashed = (
  <main className="desk">
    <FailedView text={texts.crashed} onRetry={() => window.location.reload()} />
  </main>
);

export function Desk() {
  const [client] = useState(createClient);
  return (
    // Errors are not reported, because an error of this page could contain a key.
    <ErrorBoundary fallback={crashed}>
      <QueryClientProvider client={client}>
        <header className="desk-bar">
          <a className="desk-home" href="#/leads">
            <Wordmark />
          </a>
          <OtherLanguage />
          <LogOut everywhere={false} />
        </header>
        <Main />
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

/** The element of all views, wide for those with columns. */
function Main() {
  const { data: session } = useQuery(sessionQuery);
  const { name } = viewOf(useHash());
  const isWide = session?.state === "logged-in" && (name === "list" || name === "report");
  return (
    <main className={isWide ? "desk desk-wide" : "desk"}>
      <CurrentView />
    </main>
  );
}

/** One of the desk's views. An error in it leaves the bar and the other views. */
function View({ children }: { children: ReactNode }) {
  const failed = <FailedView text={texts.crashed} onRetry={() => window.location.reload()} />;
  return <ErrorBoundary fallback={failed}>{children}</ErrorBoundary>;
}

function subscribeToHash(onChange: () => void) {
  window.addEventListener("hashchange", onChange);
  return () => window.removeEventListener("hashchange", onChange);
}

function useHash(): string {
  return useSyncExternalStore(subscribeToHash, () => window.location.hash);
}

/** The filter of the list, also while another view is open. */
function useLastFilter(hash: string): ListFilter {
  const [list, setList] = useState({ hash: "", filter: {} as ListFilter });
  const view = viewOf(hash);
  if (view.name === "list" && list.hash !== hash) {
    const next = { hash, filter: view.filter };
    setList(next);
    return next.filter;
  }
  return list.filter;
}

function CurrentView() {
  const { data: session, error, isError, refetch } = useQuery(sessionQuery);
  const hash = useHash();
  const filter = useLastFilter(hash);

  const followHash = useEffectEvent(() => {
    if (isError || isLink(window.location.hash) || session?.state !== "logged-in") {
      void refetch();
    }
  });
  useEffect(() => subscribeToHash(() => followHash()), []);

  const failure = linkFailureOf(error);
  if (failure !== null) {
    // A logged-in person opened the link.
    const [heading, text] = texts.unopened[failure];
    return <DeadEnd heading={heading} text={text} />;
  }
  if (isError) {
    return <FailedView text={errorText(error)} onRetry={() => void refetch()} />;
  }
  switch (session?.state) {
    case "mail":
      return <EmailedLead key={session.key} opened={session.opened} linkKey={session.key} />;
    case "logged-out":
      return <LoggedOut key={`${session.failure} ${session.expiredKey}`} {...session} />;
    case "logged-in": {
      if (isLink(hash)) {
        break;
      }
      const view = viewOf(hash);
      return (
        <>
          {/* Hidden while another view is open, to keep its search and scroll position. */}
          <Activity mode={view.name === "list" ? "visible" : "hidden"}>
            <View>
              <ListPage me={session.me} filter={filter} />
              <LogOut everywhere />
            </View>
          </Activity>
          {view.name === "new" && (
            <View>
              <NewLeadPage />
            </View>
          )}
          {view.name === "report" && (
            <View>
              <ReportPage days={view.days} />
            </View>
          )}
          {view.name === "lead" && (
            <View key={view.id}>
              <LeadPage id={view.id} me={session.me} list={listAddress(filter)} />
            </View>
          )}
        </>
      );
    }
  }
  return <Heading>{texts.opening}</Heading>;
}

function LogOut({ everywhere }: { everywhere: boolean }) {
  const client = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const { error, isError, mutate } = useMutation({
    mutationFn: () => api.logOut(everywhere),
    onSuccess: () => {
      browserId.forget();
      lastLink.forget();
      endSession(client, null);
    },
  });
  if (session?.state !== "logged-in") {
    return null;
  }
  return (
    <>
      <button type="button" className="desk-link" onClick={() => mutate()}>
        {everywhere ? texts.logOutEverywhere : texts.logOut}
      </button>
      {isError && (
        <Failed text={`${texts.stillLoggedIn} ${errorText(error)}`} onRetry={() => mutate()} />
      )}
    </>
  );
}

function OtherLanguage() {
  const other = otherLanguage(language);
  return (
    <a
      className="desk-link"
      href={`?lang=${other}`}
      lang={languageTags[other]}
      hrefLang={languageTags[other]}
      onClick={(event) => {
        event.currentTarget.href = `?lang=${other}${window.location.hash}`;
      }}
    >
      {languageNames[other]}
    </a>
  );
}
