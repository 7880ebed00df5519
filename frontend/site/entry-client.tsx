import type { i18n } from "i18next";
import { type ComponentType, lazy, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { BrowserRouter } from "react-router-dom";
import { safeStorage } from "#shared/api/key-value-store.ts";
import { type Language, languageOf } from "#shared/i18n/language.ts";
import { submitter } from "#site/features/registration/submit-registration.ts";
import { browserSession } from "#site/features/session/session.ts";
import { createI18n } from "#site/i18n/create-i18n.ts";
import { addMessages, loadMessages } from "#site/i18n/messages.ts";
import { App, type Pages } from "./app.tsx";
import { replayPress } from "./early-press.ts";
import { reportError } from "./error-reports.ts";
import { type RouteId, routeOf } from "./routes.ts";

const loaders: Record<keyof Pages, () => Promise<ComponentType>> = {
  home: async () => (await import("#site/pages/home/home-page.tsx")).HomePage,
  floorPlans: async () =>
    (await import("#site/pages/floor-plans/floor-plans-page.tsx")).FloorPlansPage,
};

const pageIds = Object.keys(loaders) as (keyof Pages)[];

window.addEventListener("error", ({ error }) => reportError("uncaught", error));
window.addEventListener("unhandledrejection", ({ reason }) => reportError("rejection", reason));

/** Hydrates the document: first the parts around the sections, then one section after the other. */
async function hydrate(root: HTMLElement): Promise<void> {
  const language = languageOf(document.documentElement.lang);
  const current = routeOf(window.location.pathname);
  const pageOf = async (id: keyof Pages) =>
    id === current ? withRetry(loaders[id]) : lazy(() => loadOrLeave(id, i18n));
  const [messages, home, floorPlans] = await Promise.all([
    withRetry(() => loadMessages(language, ...(current === "notFound" ? [] : [current]))),
    pageOf("home"),
    pageOf("floorPlans"),
  ]);
  const i18n = createI18n(language, messages, (key) => console.error("missing text", key));
  // In a separate task, because this one has evaluated the scripts.
  await new Promise((resolve) => setTimeout(resolve));
  const served = { path: window.location.pathname, html: root.innerHTML };
  startTransition(() => {
    hydrateRoot(
      root,
      <BrowserRouter>
        <App i18n={i18n} pages={{ home, floorPlans }} registration={services} served={served} />
      </BrowserRouter>,
      {
        onCaughtError: (error) => reportError("caught", error),
        onUncaughtError: (error) => reportError("uncaught", error),
        onRecoverableError: (error) => reportError("recoverable", error),
      },
    );
  });
  preloadOtherPages(language, current);
}

/** Loads the other pages when the browser is idle, so a link opens them without waiting. */
function preloadOtherPages(language: Language, current: RouteId): void {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  if (connection?.saveData) {
    return;
  }
  whenIdle(() => {
    for (const id of pageIds.filter((id) => id !== current)) {
      // A link retries what fails here.
      Promise.all([loaders[id](), loadMessages(language, id)]).catch(() => {});
    }
  });
}

/** Safari has no idle callbacks. */
function whenIdle(action: () => void): void {
  if ("requestIdleCallback" in window) {
    requestIdleCallback(action);
  } else {
    setTimeout(action, 1_000);
  }
}

/** Retries once, because a network may fail for a moment. */
function withRetry<T>(load: () => Promise<T>): Promise<T> {
  return load().catch(load);
}

/**
 * Marks the document while the code of another page loads, because the previous page stays visible. If code or texts are
 * missing, as after a deploy, the browser loads the document of its address.
 */
async function loadOrLeave(id: keyof Pages, i18n: i18n) {
  const { classList } = document.documentElement;
  classList.add("loading");
  try {
    const [page] = await Promise.all([
      loaders[id](),
      addMessages(i18n, languageOf(i18n.language), id),
    ]);
    classList.remove("loading");
    return { default: page };
  } catch {
    window.location.reload();
    return new Promise<never>(() => {});
  }
}

// The session starts with the visit and records its first page and campaign.
const services = {
  submit: submitter(browserSession()),
  storage: safeStorage(() => window.sessionStorage),
};
const root = document.getElementById("root");
if (root !== null) {
  void hydrate(root)
    .catch((error) => reportError("uncaught", error))
    .finally(replayPress);
}
