import type { Language } from "./language.ts";

const ONE_YEAR_IN_SECONDS = 31_536_000;

/** Tells the server, which picks the document by this cookie, what the visitor reads. */
export function rememberLanguage(language: Language): void {
  const secure = window.location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain http and in Safari.
  document.cookie = `lang=${language}; Path=/; Max-Age=${ONE_YEAR_IN_SECONDS}; SameSite=Lax${secure}`;
}

/** Rewrites cookie and `?lang` together, so that a reload shows the same language; other parameters stay. */
export function recordLanguageChoice(language: Language): void {
  rememberLanguage(language);
  const address = new URL(window.location.href);
  address.searchParams.set("lang", language);
  window.history.replaceState(window.history.state, "", address);
}

/** A link with `?lang` may have brought the visitor: links without it must then lead to the same language. */
export function rememberLinkedLanguage(language: Language): void {
  if (new URLSearchParams(window.location.search).get("lang") === language) {
    rememberLanguage(language);
  }
}
