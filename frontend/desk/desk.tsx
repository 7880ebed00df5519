import {
  type Dispatch,
  type SetStateAction,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type Language, languageNames, languageTags, otherLanguage } from "#i18n/language.ts";
import { Wordmark } from "#shell/wordmark.tsx";
import "#ui/button.css";
import { ErrorBoundary } from "#ui/error-boundary.tsx";
import "#ui/field.css";
import { type DeskApi, hasCode, type Me, type Opened } from "./api.ts";
import { Context, useDesk, useTask } from "./context.ts";
import { Failed, FailedView, Heading } from "./elements.tsx";
import { Invitation } from "./invitation.tsx";
import { LeadPage } from "./lead-page.tsx";
import { firstList, ListPage, type ListState } from "./list-page.tsx";
import { MailView } from "./mail-view.tsx";
import { browserId, linkKey } from "./storage.ts";
import { deskTexts } from "./texts.ts";

type Place = { page: "list" } | { page: "lead"; id: string } | { page: "key"; key: string };

/** What a fragment means: `#/leads`, `#/leads/ID`, or the key that a mail's link carries. */
function placeOf(hash: string): Place {
  const [, id] = /^#\/leads\/?([0-9a-f-]*)$/.exec(hash) ?? [];
  if (id !== undefined || hash === "") {
    return id ? { page: "lead", id } : { page: "list" };
  }
  return { page: "key", key: hash.slice(1) };
}

type View =
  | { kind: "opening" | "place" | "expired" | "signed-out" }
  /** For a browser in which nobody is signed in. */
  | { kind: "mail"; opened: Opened };

export function Desk({ language, api }: { language: Language; api: DeskApi }) {
  const [view, setView] = useState<View>({ kind: "opening" });
  const [me, setMe] = useState<Me | null>(null);
  const [list, setList] = useState(firstList);
  const texts = deskTexts[language];
  const timeZone = me?.time_zone ?? (view.kind === "mail" ? view.opened.time_zone : undefined);
  const signedOut = useCallback(() => {
    setMe(null);
    setList(firstList);
    setView({ kind: "signed-out" });
  }, []);
  const context = useMemo(
    () => ({ api, language, texts, timeZone, signedOut }),
    [api, language, texts, timeZone, signedOut],
  );
  const crashed = (
    <main className="desk">
      <FailedView text={texts.crashed} onRetry={() => window.location.reload()} />
    </main>
  );
  return (
    <Context value={context}>
      {/* Nothing is reported: an error of this page could carry a key. */}
      <ErrorBoundary fallback={crashed}>
        <header className="desk-bar">
          <a className="desk-home" href="#/leads">
            <Wordmark />
          </a>
          <OtherLanguage language={language} />
          {me !== null && <LogOut />}
        </header>
        <main className="desk">
          <Inside {...{ view, setView, me, setMe, list, setList }} />
        </main>
      </ErrorBoundary>
    </Context>
  );
}

interface InsideProps {
  view: View;
  setView: (view: View) => void;
  me: Me | null;
  setMe: (me: Me) => void;
  list: ListState;
  setList: Dispatch<SetStateAction<ListState>>;
}

function Inside({ view, setView, me, setMe, list, setList }: InsideProps) {
  const { api, texts } = useDesk();
  const { failure, run } = useTask();
  const [place, setPlace] = useState(() => placeOf(window.location.hash));
  const [attempt, setAttempt] = useState(0);
  /** The link that was opened last: it may mail another one. */
  const link = useRef<string | null>(null);

  useEffect(() => {
    const follow = () => setPlace(placeOf(window.location.hash));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);

  function enter({ me, lead }: Opened): void {
    if (me !== null) {
      setMe(me);
      setPlace({ page: "lead", id: lead.id });
    }
  }

  async function openLink(key: string): Promise<void> {
    link.current = key;
    try {
      const opened = await api.open(key);
      linkKey.keep(key);
      // Replaced, so that no history keeps the key.
      window.history.replaceState(null, "", `#/leads/${opened.lead.id}`);
      if (opened.me === null) {
        setView({ kind: "mail", opened });
      } else {
        enter(opened);
      }
    } catch (error) {
      if (!hasCode(error, "expired_link")) {
        throw error;
      }
      setView({ kind: "expired" });
    }
  }

  async function openPlace(): Promise<void> {
    try {
      setMe(me ?? (await api.me()));
      linkKey.forget();
      setView({ kind: "place" });
    } catch (error) {
      const key = linkKey.read();
      if (key === null || !hasCode(error, "signed_out")) {
        throw error;
      }
      // The page was reloaded before anybody was signed in.
      await openLink(key);
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is opened depends on the place, and on trying again
  useEffect(() => {
    void run(() => (place.page === "key" ? openLink(place.key) : openPlace()));
  }, [place, attempt]);

  if (failure !== null) {
    return <FailedView text={failure} onRetry={() => setAttempt(attempt + 1)} />;
  }
  switch (view.kind) {
    case "opening":
      return <Heading>{texts.opening}</Heading>;
    case "expired":
      return (
        <Invitation
          heading={<Heading>{texts.expired}</Heading>}
          text={texts.expiredText}
          linkKey={link.current}
        />
      );
    case "signed-out":
      return (
        <Invitation
          heading={<Heading>{texts.signedOut}</Heading>}
          text={texts.signedOutText}
          linkKey={link.current}
        />
      );
    case "mail":
      return <MailView opened={view.opened} linkKey={link.current ?? ""} onSignedIn={enter} />;
    case "place":
      if (me === null || place.page === "key") {
        return <Heading>{texts.opening}</Heading>;
      }
      return place.page === "lead" ? (
        <>
          <a className="desk-link" href="#/leads">
            {texts.list}
          </a>
          <LeadPage key={place.id} id={place.id} me={me} />
        </>
      ) : (
        <ListPage me={me} state={list} setState={setList} />
      );
  }
}

function LogOut() {
  const { api, texts, signedOut } = useDesk();
  const { failure, run } = useTask();
  const signOut = () =>
    void run(async () => {
      await api.signOut();
      browserId.forget();
      signedOut();
    });
  return (
    <>
      <button type="button" className="desk-link" onClick={signOut}>
        {texts.signOut}
      </button>
      {failure !== null && <Failed text={`${texts.stillSignedIn} ${failure}`} onRetry={signOut} />}
    </>
  );
}

function OtherLanguage({ language }: { language: Language }) {
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
