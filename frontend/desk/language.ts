import { type Language, languageOf, languageTags } from "#shared/i18n/language.ts";
import { deskTexts } from "./texts.ts";

interface LanguageSources {
  /** The query of the page's address. */
  search: string;
  /** Has the language that the person last chose on the desk or the site. */
  cookie: string;
  /** The browser's preferred languages. */
  browser: readonly string[];
}

/** The language of the address, else the one that was chosen before, else the browser's first of the desk's languages. */
export function chooseLanguage({ search, cookie, browser }: LanguageSources): Language {
  const asked = new URLSearchParams(search).get("lang");
  const remembered = /(?:^|;\s*)lang=([^;]*)/.exec(cookie)?.[1];
  const tags = [asked, remembered, ...browser];
  return languageOf(tags.find((tag) => /^(?:en|zh)(?![a-z0-9])/i.test(tag ?? "")) ?? "");
}

/** A change of language reloads the page. */
export const language = chooseLanguage({
  search: window.location.search,
  cookie: document.cookie,
  browser: navigator.languages,
});

export const texts = deskTexts[language];

// nginx does not know the browser's language, so the document may have the other one.
document.documentElement.lang = languageTags[language];
