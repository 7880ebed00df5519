import type { i18n } from "i18next";
import { type Language, languages } from "#shared/i18n/language.ts";
import { messages } from "#site/i18n/all-languages.ts";
import { createI18n } from "#site/i18n/create-i18n.ts";

/** An instance with the texts of every language, which throws on a missing key. */
export function testI18n(language: Language = "en"): i18n {
  const instance = createI18n(language, messages[language], (key) => {
    throw new Error(`no text for ${key}`);
  });
  for (const each of languages) {
    instance.addResourceBundle(each, "translation", messages[each]);
  }
  return instance;
}
