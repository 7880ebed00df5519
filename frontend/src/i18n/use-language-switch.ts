import { useEffect, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router-dom";
import { whenHydrated } from "#ui/hydration-boundary.tsx";
import { addMessages } from "./create-i18n.ts";
import { type Language, languageOf, languageTags } from "./language.ts";
import { loadMessages } from "./messages.ts";
import { useLanguage } from "./use-language.ts";

const ONE_YEAR_IN_SECONDS = 31_536_000;

/** This page's query in a language. */
function queryIn(language: Language, search: string): string {
  const query = new URLSearchParams(search);
  query.set("lang", language);
  return `?${query}`;
}

/** The address of this page in a language, and a function that switches to it without loading the page again. */
export function useLanguageSwitch(language: Language) {
  const { i18n } = useTranslation();
  const { search, hash } = useLocation();
  const address = queryIn(language, search);

  async function switchLanguage(): Promise<void> {
    try {
      // A browser's translator replaces text nodes, which React could not update.
      if (document.querySelector("#root font") !== null) {
        throw new Error("the page is translated by the browser");
      }
      addMessages(i18n, language, await loadMessages(language));
      // What React has not hydrated must still be in the language of the document.
      await whenHydrated();
      await i18n.changeLanguage(language);
    } catch {
      window.location.assign(address + hash);
    }
  }

  return { address, switchLanguage };
}

/** Keeps `<html lang>`, the cookie and `?lang` in step with the language, so that a reload shows the same one. */
export function useLanguageInAddress(): void {
  const language = useLanguage();
  const location = useLocation();
  const navigate = useNavigate();
  const previous = useRef(language);

  useLayoutEffect(() => {
    document.documentElement.lang = languageTags[language];
  }, [language]);

  useEffect(() => {
    const { search, hash, state } = location;
    const named = new URLSearchParams(search).get("lang");
    const isSwitched = previous.current !== language;
    previous.current = language;
    if (named === null ? !isSwitched : languageOf(named) === language) {
      return;
    }
    // The attributes of the server's cookie, so that each can replace the other.
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain http and in Safari.
    document.cookie = `lang=${language}; Path=/; Max-Age=${ONE_YEAR_IN_SECONDS}; SameSite=Lax`;
    navigate(
      { search: queryIn(language, search), hash },
      { replace: true, state: { ...state, inPlace: true } },
    );
  }, [language, location, navigate]);
}
