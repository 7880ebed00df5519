import { safeStorage } from "#api/key-value-store.ts";
import { settings } from "#settings.ts";
import { attributionOf } from "./attribution.ts";
import { createSession, type Session } from "./session.ts";

const RENEWAL_INTERVAL_MS = 30_000;

/** The session of this page, renewed for as long as the page is visible. */
export function browserSession(): Session {
  const session = createSession({
    fetch: (input, init) => window.fetch(input, init),
    store: safeStorage(() => window.localStorage),
    publicKey: settings.publicKey,
    attribution: attributionOf({ href: window.location.href, referrer: document.referrer }),
  });
  const renew = () => {
    if (document.visibilityState === "visible") {
      void session.token();
    }
  };
  renew();
  setInterval(renew, RENEWAL_INTERVAL_MS);
  document.addEventListener("visibilitychange", renew);
  return session;
}
