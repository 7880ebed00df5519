import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { BrowserRouter } from "react-router-dom";
import { addMessages, createI18n } from "#i18n/create-i18n.ts";
import { languageOf } from "#i18n/language.ts";
import { loadFirstMessages, loadMessages } from "#i18n/load-messages.ts";
import { provideOtherTexts } from "#i18n/other-texts.ts";
import { App } from "./app.tsx";
import { errorReports } from "./error-reports.ts";
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

const errors = errorReports({
  send: (body) => {
    const headers = { "Content-Type": "application/json" };
    // Also from a page that is being left.
    fetch("/functions/v1/browser-error", { method: "POST", keepalive: true, headers, body }).catch(
      () => {},
    );
  },
  path: () => window.location.pathname,
});
window.addEventListener("unhandledrejection", ({ reason }) => errors.report("rejection", reason));

const language = languageOf(document.documentElement.lang);
// The prerendered document stands meanwhile; its head has begun to fetch these texts.
const i18n = createI18n(language, await loadFirstMessages(language), (key) =>
  console.error("missing text", key),
);
provideOtherTexts(async () => addMessages(i18n, language, await loadMessages(language)));

// A transition hydrates in small steps, and whatever the visitor touches first.
startTransition(() => {
  hydrateRoot(
    root,
    <BrowserRouter>
      <App
        i18n={i18n}
        loadMessages={(other) => deploys.suppressReload(() => loadMessages(other))}
      />
    </BrowserRouter>,
    {
      onCaughtError: (error) => errors.report("caught", error),
      onUncaughtError: (error) => errors.report("uncaught", error),
      onRecoverableError: (error) => errors.report("recoverable", error),
    },
  );
});

// The session knows the page that was opened first, whichever that is. Where its code does not come, the form asks for it.
import("#pages/home/browser-services.ts")
  .then(({ browserServices }) => browserServices())
  .catch(() => {});
