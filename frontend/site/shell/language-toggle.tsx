import { useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import { languageNames, languageOf, languageTags, otherLanguage } from "#shared/i18n/language.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { whenHydrated } from "#shared/ui/hydration-boundary.tsx";
import { buttonRole, isPlainClick } from "#shared/ui/link-events.ts";
import { entryStateOf, inPlace } from "#site/history-entry.ts";
import { addMessages } from "#site/i18n/messages.ts";

const ONE_YEAR_IN_SECONDS = 31_536_000;

/** A link to the document in the other language. With JavaScript it switches in place and keeps the form. */
export function LanguageToggle() {
  const { i18n } = useTranslation();
  const { search, hash } = useLocation();
  const other = otherLanguage(useLanguage());
  const address = queryIn(other, search);

  async function switchLanguage(): Promise<void> {
    try {
      // A browser's translator replaces text nodes, which React could not update.
      if (document.querySelector("#root font") !== null) {
        throw new Error("the page is translated by the browser");
      }
      await addMessages(i18n, other, "home", "floorPlans");
      // Parts that React has not hydrated yet must match the language of the document.
      await whenHydrated();
      await i18n.changeLanguage(other);
    } catch {
      window.location.assign(address + hash);
    }
  }

  return (
    <a
      className="language"
      data-replay
      href={address}
      hrefLang={languageTags[other]}
      lang={languageTags[other]}
      onClick={(event) => {
        if (isPlainClick(event)) {
          event.preventDefault();
          void switchLanguage();
        }
      }}
      // The prerendered link lacks query parameters that the server does not read.
      suppressHydrationWarning
      {...buttonRole}
    >
      {languageNames[other]}
    </a>
  );
}

/** Sets `<html lang>`, the cookie and `?lang` to the language, so a reload keeps it. */
export function useLanguageInAddress(): void {
  const language = useLanguage();
  const location = useLocation();
  const navigate = useNavigate();
  const previous = useRef(language);

  useLayoutEffect(() => {
    document.documentElement.lang = languageTags[language];
  }, [language]);

  useEffect(() => {
    const { search, hash } = location;
    const named = new URLSearchParams(search).get("lang");
    const isSwitched = previous.current !== language;
    previous.current = language;
    if (named === null ? !isSwitched : languageOf(named) === language) {
      return;
    }
    // The same attributes as the server's cookie, so each replaces the other.
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain http and in Safari.
    document.cookie = `lang=${language}; Path=/; Max-Age=${ONE_YEAR_IN_SECONDS}; SameSite=Lax`;
    navigate({ search: queryIn(language, search), hash }, inPlace(entryStateOf(location)));
  }, [language, location, navigate]);
}

function queryIn(language: string, search: string): string {
  const query = new URLSearchParams(search);
  query.set("lang", language);
  return `?${query}`;
}
