import { createInstance, type i18n } from "i18next";
import { initReactI18next } from "react-i18next";
import { en } from "./en.ts";
import type { Language } from "./language.ts";
import { zh } from "./zh.ts";

export const messages = { en, zh };

/** A ready i18next instance: every text is in the bundle, so a change of language needs no request. */
export function createI18n(language: Language, onMissingKey: (key: string) => void): i18n {
  const instance = createInstance();
  instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: "en",
    resources: { en: { translation: en }, zh: { translation: zh } },
    initAsync: false,
    // React escapes what it renders.
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
    saveMissing: true,
    missingKeyHandler: (_languages, _namespace, key) => onMissingKey(key),
  });
  return instance;
}
