import { routeOf } from "./routes.ts";

/** A page that fails again and again is known after this many reports. */
const MAX_REPORTS = 5;

/** The first place in our own scripts that a stack names. */
const PLACE = /assets\/[\w.-]+\.js:\d+:\d+/;

const sent = new Set<string>();

/** Reports the kind of an error and its place in our scripts. A message may contain what was typed and is not sent. */
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
    // Also from a page that is being left.
    fetch("/functions/v1/browser-error", { method: "POST", keepalive: true, headers, body }).catch(
      () => {},
    );
  }
}
