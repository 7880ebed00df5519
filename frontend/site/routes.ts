import { matchRoutes } from "react-router-dom";
import { defaultLanguage, type Language } from "#shared/i18n/language.ts";

/** All routes. `document` is a file under `documents/{language}/`; crawlers may list an `indexed` page. */
export const routes = {
  home: { path: "/", document: "index.html", indexed: true },
  floorPlans: { path: "/floor-plans", document: "floor-plans/index.html", indexed: true },
  notFound: { path: "*", document: "not-found.html", indexed: false },
} as const;

export type RouteId = keyof typeof routes;

export const routeIds = Object.keys(routes) as RouteId[];

const table = routeIds.map((id) => ({ id, path: routes[id].path, caseSensitive: true }));

/** The route of a path, which is case-sensitive, like on the server. */
export function routeOf(path: string): RouteId {
  return matchRoutes(table, path)?.[0]?.route.id ?? "notFound";
}

/** Address of a page in a language, without `?lang` for the default language. */
export function href(
  route: RouteId,
  language: Language,
  parameters: Record<string, string> = {},
): string {
  const named = language === defaultLanguage ? parameters : { ...parameters, lang: language };
  const query = new URLSearchParams(named).toString();
  return `${routes[route].path}${query === "" ? "" : `?${query}`}`;
}

/** The anchors of the home page. */
export const anchors = {
  update: "blog",
  overview: "zyon-grand",
  information: "developer",
  location: "central-region",
  callToAction: "showflat",
  contact: "contact",
  form: "contact-form",
  privacy: "privacy-policy",
} as const;

export type Anchor = (typeof anchors)[keyof typeof anchors];
