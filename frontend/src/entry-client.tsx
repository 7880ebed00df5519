import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { BrowserRouter } from "react-router-dom";
import { browserDrafts } from "#features/registration/draft.ts";
import { browserRandomBytes, uuid } from "#features/registration/identifiers.ts";
import { browserSubmitter } from "#features/registration/submit-registration.ts";
import { browserSession } from "#features/session/browser-session.ts";
import { createI18n } from "#i18n/create-i18n.ts";
import { languageOf } from "#i18n/language.ts";
import { loadMessages } from "#i18n/load-messages.ts";
import { App } from "./app.tsx";
import { deployWatch } from "./reload-after-deploy.ts";

const root = document.getElementById("root");
if (root === null) {
  throw new Error("the document has no #root: it was not made by the prerender");
}

const deploys = deployWatch({
  entry: document.querySelector("script[type=module]")?.getAttribute("src") ?? "",
  fetchDocument: async () => (await fetch(window.location.href, { cache: "no-store" })).text(),
  storage: () => window.sessionStorage,
  reload: () => window.location.reload(),
});
window.addEventListener("vite:preloadError", () => void deploys.chunkFailed());

const language = languageOf(document.documentElement.lang);
// The prerendered document stands meanwhile; its head has begun to fetch these texts.
const messages = await loadMessages(language);
const session = browserSession();

await painted();
// A transition hydrates in small steps, and whatever the visitor touches first.
startTransition(() => {
  hydrateRoot(
    root,
    <BrowserRouter>
      <App
        i18n={createI18n(language, messages, (key) => console.error("missing text", key))}
        loadMessages={(other) => deploys.suppressReload(() => loadMessages(other))}
        registration={{
          submit: browserSubmitter(session),
          newIdempotencyKey: () => uuid(browserRandomBytes),
          drafts: browserDrafts(),
        }}
      />
    </BrowserRouter>,
  );
});

void session.keepFresh();

/** The document is complete as it came: it is shown before the page is made live. */
function painted(): Promise<void> {
  // A page in the background is not painted.
  if (document.visibilityState === "hidden") {
    return Promise.resolve();
  }
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
