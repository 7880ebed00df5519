import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type Language, languageNames, languageTags, otherLanguage } from "#i18n/language.ts";
import { Wordmark } from "#shell/wordmark.tsx";
import "#ui/button.css";
import "#ui/field.css";
import { type DeskApi, DeskError, type Me, type Opened } from "./api.ts";
import { Context, contextOf, useDesk, useTask } from "./context.ts";
import { Invitation } from "./invitation.tsx";
import { LeadPage } from "./lead-page.tsx";
import { ListPage } from "./list-page.tsx";

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
  /** As in the mail, for a browser in which nobody is signed in. */
  | { kind: "opened"; opened: Opened };

export function Desk({ language, api }: { language: Language; api: DeskApi }) {
  const [view, setView] = useState<View>({ kind: "opening" });
  const [me, setMe] = useState<Me | null>(null);
  const signedOut = useCallback(() => {
    setMe(null);
    setView({ kind: "signed-out" });
  }, []);
  const context = useMemo(() => contextOf(api, language, signedOut), [api, language, signedOut]);
  const { texts } = context;
  return (
    <Context value={context}>
      <header className="desk-bar">
        <a className="desk-home" href="#/leads">
          <Wordmark />
        </a>
        <OtherLanguage language={language} />
        {me !== null && (
          <button
            type="button"
            className="desk-link"
            onClick={() => void api.signOut().then(signedOut, signedOut)}
          >
            {texts.signOut}
          </button>
        )}
      </header>
      <main className="desk">
        <Inside view={view} setView={setView} me={me} setMe={setMe} />
      </main>
    </Context>
  );
}

interface InsideProps {
  view: View;
  setView: (view: View) => void;
  me: Me | null;
  setMe: (me: Me | null) => void;
}

function Inside({ view, setView, me, setMe }: InsideProps) {
  const { api, texts } = useDesk();
  const { failure, run } = useTask();
  const [place, setPlace] = useState(() => placeOf(window.location.hash));
  const [attempt, setAttempt] = useState(0);
  /** For a mail with another link; kept nowhere else. */
  const key = useRef<string | null>(null);

  useEffect(() => {
    const follow = () => setPlace(placeOf(window.location.hash));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);

  async function openKey(text: string): Promise<void> {
    key.current = text;
    try {
      const opened = await api.open(text);
      // Replaced, so that no history keeps the key.
      window.history.replaceState(null, "", `#/leads/${opened.lead.id}`);
      setMe(opened.me);
      if (opened.me === null) {
        setView({ kind: "opened", opened });
      } else {
        setPlace({ page: "lead", id: opened.lead.id });
      }
    } catch (error) {
      if (!(error instanceof DeskError) || error.code !== "expired_link") {
        throw error;
      }
      setView({ kind: "expired" });
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is opened depends on the place, and on trying again
  useEffect(() => {
    void run(async () => {
      if (place.page === "key") {
        await openKey(place.key);
        return;
      }
      if (me === null) {
        setMe(await api.me());
      }
      setView({ kind: "place" });
    });
  }, [place, attempt]);

  if (failure !== null) {
    return (
      <div className="desk-panel" role="alert">
        <p>{failure}</p>
        <button
          type="button"
          className="button button-small"
          onClick={() => setAttempt(attempt + 1)}
        >
          {texts.retry}
        </button>
      </div>
    );
  }
  switch (view.kind) {
    case "opening":
      return <p className="desk-quiet">{texts.opening}</p>;
    case "expired":
      return <Invitation heading={texts.expired} text={texts.expiredText} linkKey={key.current} />;
    case "signed-out":
      return (
        <Invitation heading={texts.signedOut} text={texts.signedOutText} linkKey={key.current} />
      );
    case "opened": {
      const { invited, lead } = view.opened;
      return (
        <>
          <LeadPage key="opened" first={lead} id={lead.id} people={[]} />
          <Invitation
            heading={texts.notSignedIn(invited)}
            text={texts.confirm(invited)}
            linkKey={key.current}
            invited={invited}
          />
        </>
      );
    }
    case "place":
      return place.page === "lead" && me !== null ? (
        <>
          <a className="desk-link" href="#/leads">
            {texts.list}
          </a>
          <LeadPage key={place.id} id={place.id} people={me.people} />
        </>
      ) : (
        <ListPage />
      );
  }
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
