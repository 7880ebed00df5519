import { type Language, languages, languageTags } from "#i18n/language.ts";
import { type RouteId, routes } from "#routes.ts";

/** Where a page is found in a language, absolute: the default language has the plain address. */
export function addressOf(route: RouteId, language: Language, origin: string): string {
  const query = language === languages[0] ? "" : `?lang=${language}`;
  return `${origin}${routes[route].path}${query}`;
}

/** An address of a page and the language that it is for, as `hreflang` has it. */
export interface Alternate {
  hreflang: string;
  href: string;
}

/** The page in every language, and for readers of any other. */
export function alternatesOf(route: RouteId, origin: string): Alternate[] {
  return [
    ...languages.map((language) => ({
      hreflang: languageTags[language],
      href: addressOf(route, language, origin),
    })),
    { hreflang: "x-default", href: addressOf(route, languages[0], origin) },
  ];
}
