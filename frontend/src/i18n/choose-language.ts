import type { Language } from "./language.ts";

const ONE_YEAR_IN_SECONDS = 31_536_000;

/** This page's address in a language; other parameters and the fragment stay. */
export function addressIn(language: Language): URL {
  const address = new URL(window.location.href);
  address.searchParams.set("lang", language);
  return address;
}

/** Rewrites cookie and `?lang` together, so that a reload and the next link show the same language. */
export function recordLanguageChoice(language: Language): void {
  // The same attributes as the server's own, so that each can replace the other's.
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain http and in Safari.
  document.cookie = `lang=${language}; Path=/; Max-Age=${ONE_YEAR_IN_SECONDS}; SameSite=Lax`;
  window.history.replaceState(window.history.state, "", addressIn(language));
}
