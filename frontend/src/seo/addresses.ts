import { defaultLanguage, languages, languageTags } from "#i18n/language.ts";
import { href, type RouteId } from "#routes.ts";

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
      href: `${origin}${href(route, language)}`,
    })),
    { hreflang: "x-default", href: `${origin}${href(route, defaultLanguage)}` },
  ];
}
