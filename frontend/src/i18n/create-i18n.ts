import { createInstance, type i18n } from "i18next";
import { initReactI18next } from "react-i18next";
import { defaultLanguage, type Language } from "./language.ts";
import type { FirstMessages, Messages } from "./messages.ts";

const NAMESPACE = "translation";

/** An i18next instance that is ready at once in the one language whose texts it is given. */
export function createI18n(
  language: Language,
  messages: FirstMessages,
  onMissingKey: (key: string) => void,
): i18n {
  const instance = createInstance();
  instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: defaultLanguage,
    resources: { [language]: { [NAMESPACE]: messages } },
    initAsync: false,
    // React escapes what it renders.
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
    saveMissing: true,
    missingKeyHandler: (_languages, _namespace, key) => onMissingKey(key),
  });
  return instance;
}

/** What the instance has of a language's texts at the least. */
export function firstMessagesOf(instance: i18n, language: Language): FirstMessages | undefined {
  return instance.getResourceBundle(language, NAMESPACE);
}

/** The texts of a language, if the instance has all of them. */
export function messagesOf(instance: i18n, language: Language): Messages | undefined {
  const bundle: Partial<Messages> | undefined = instance.getResourceBundle(language, NAMESPACE);
  return bundle?.registration === undefined ? undefined : (bundle as Messages);
}

export function addMessages(instance: i18n, language: Language, messages: Messages): void {
  instance.addResourceBundle(language, NAMESPACE, messages);
}
