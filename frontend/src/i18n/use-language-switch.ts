import type { i18n } from "i18next";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router-dom";
import { hydrateAll } from "#ui/part.tsx";
import { addressIn, recordLanguageChoice } from "./choose-language.ts";
import { addMessages, messagesOf } from "./create-i18n.ts";
import type { Language } from "./language.ts";
import type { LoadMessages } from "./load-messages.ts";
import { useLoadMessages } from "./load-messages-context.ts";
import { useLanguage } from "./use-language.ts";

interface LanguageSwitch {
  /** Fetches the texts of a language that may be asked for next. */
  prepare: (language: Language) => void;
  /** Changes the language in place, or by a full navigation when its texts cannot be fetched. */
  switchTo: (language: Language) => Promise<void>;
}

/** An earlier entry of the history may name the other language: a reload there must not bring it back. */
export function useLanguageInAddress(): void {
  const location = useLocation();
  const language = useLanguage();
  useEffect(() => {
    const named = new URLSearchParams(location.search).get("lang");
    if (named !== null && named !== language) {
      recordLanguageChoice(language);
    }
  }, [location, language]);
}

export function useLanguageSwitch(): LanguageSwitch {
  const { i18n } = useTranslation();
  const load = useLoadMessages();
  return {
    prepare: (language) => {
      // A failure counts only once the visitor asks for the language.
      ensureMessages(i18n, language, load).catch(() => {});
    },
    switchTo: async (language) => {
      try {
        await ensureMessages(i18n, language, load);
      } catch {
        window.location.assign(addressIn(language));
        return;
      }
      // What React has not hydrated yet must still be in the language of the document.
      await hydrateAll();
      recordLanguageChoice(language);
      await i18n.changeLanguage(language);
    },
  };
}

async function ensureMessages(i18n: i18n, language: Language, load: LoadMessages): Promise<void> {
  if (messagesOf(i18n, language) === undefined) {
    addMessages(i18n, language, await load(language));
  }
}
