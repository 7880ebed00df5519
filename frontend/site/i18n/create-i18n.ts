import { createInstance, type i18n } from "i18next";
import { defaultLanguage, type Language } from "#shared/i18n/language.ts";
import type { Messages } from "./messages.ts";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: Messages };
  }
}

/** An i18next instance with the given texts, ready without a promise. */
export function createI18n(
  language: Language,
  messages: Partial<Messages>,
  onMissingKey: (key: string) => void,
): i18n {
  const instance = createInstance();
  instance.init({
    lng: language,
    fallbackLng: defaultLanguage,
    resources: { [language]: { translation: messages } },
    initAsync: false,
    // React escapes what it renders.
    interpolation: { escapeValue: false },
    saveMissing: true,
    missingKeyHandler: (_languages, _namespace, key) => onMissingKey(key),
  });
  return instance;
}
