/** The one table of routes: router, links, head and prerendered documents all read it. */
export const routes = {
  home: { path: "/", document: "index.html", indexed: true },
  notFound: { path: "*", document: "not-found.html", indexed: false },
} as const satisfies Record<string, Route>;

interface Route {
  /** Pattern of react-router; a document is made for each. */
  path: string;
  /** File name under `documents/{language}/`. */
  document: string;
  /** Whether search engines may list it. */
  indexed: boolean;
}

export type RouteId = keyof typeof routes;

export const routeIds = Object.keys(routes) as RouteId[];
