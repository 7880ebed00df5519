import { routeOf } from "./routes.ts";

type Kind = "caught" | "uncaught" | "recoverable" | "rejection";

interface Environment {
  /** Sends a report; what becomes of it does not matter to the page. */
  send: (body: string) => void;
  /** The path of the page that is shown. */
  path: () => string;
}

/** A page that fails again and again is known after this many reports. */
const MOST = 5;

/** The first place in our own scripts that a stack names. */
const PLACE = /assets\/[\w.-]+\.js:\d+:\d+/;

/** Tells the server of errors: what kind and where in our scripts. A message may hold what was typed, and stays here. */
export function errorReports({ send, path }: Environment) {
  const sent = new Set<string>();

  function report(kind: Kind, error: unknown): void {
    console.error(error);
    const { name, stack } = error instanceof Error ? error : { name: "other", stack: "" };
    const body = JSON.stringify({
      kind,
      name,
      place: PLACE.exec(stack ?? "")?.[0] ?? "",
      page: routeOf(path()),
    });
    if (sent.size < MOST && !sent.has(body)) {
      sent.add(body);
      send(body);
    }
  }

  return { report };
}
