import { routeOf } from "./routes.ts";

/** The maximum number of reports of one page. */
const MAX_REPORTS = 5;

/** The first place of a stack in the site's scripts. */
const PLACE = /assets\/[\w.-]+\.js:\d+:\d+/;

const sent = new Set<string>();

/** Reports the kind of an error and its place in our scripts. A message may contain typed text and is not sent. */
export function reportError(
  kind: "caught" | "uncaught" | "recoverable" | "rejection",
  error: unknown,
): void {
  console.error(error);
  const { name, stack } = error instanceof Error ? error : { name: "other", stack: "" };
  const body = JSON.stringify({
    kind,
    name,
    place: PLACE.exec(stack ?? "")?.[0] ?? "",
    page: routeOf(window.location.pathname),
  });
  if (sent.size < MAX_REPORTS && !sent.has(body)) {
    sent.add(body);
    const headers = { "Content-Type": "application/json" };
    // Sends the report even if the visitor leaves the page.
    fetch("/functions/v1/browser-error", { method: "POST", keepalive: true, headers, body }).catch(
      () => {},
    );
  }
}
