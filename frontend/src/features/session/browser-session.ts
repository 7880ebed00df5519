import { safeStorage } from "#api/key-value-store.ts";
import { settings } from "#settings.ts";
import { attributionOf } from "./attribution.ts";
import { createSession, type Session } from "./session.ts";

/** The session of this page, on the browser's own network and storage. */
export function browserSession(): Session {
  return createSession({
    fetch: (input, init) => window.fetch(input, init),
    store: safeStorage(() => window.localStorage),
    publicKey: settings.publicKey,
    attribution: attributionOf({ href: window.location.href, referrer: document.referrer }),
    visible: pageVisible,
  });
}

function pageVisible(): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (document.visibilityState === "visible") {
        document.removeEventListener("visibilitychange", check);
        resolve();
      }
    };
    document.addEventListener("visibilitychange", check);
    check();
  });
}
