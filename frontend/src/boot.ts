// First, because it declares the order of the cascade layers.
import "#styles/site.css";
import { keepLanding } from "#features/session/landing.ts";
import { languageOf } from "#i18n/language.ts";
import { dayInWords, localDay } from "#pages/home/day.ts";

/**
 * The document is complete as it came: it is read, its links and its menu work, its form posts. It is made live when the
 * visitor begins to use it, so that the first tap waits for no script; at once where the address asks for what only
 * script shows.
 */
const USES = ["pointerdown", "pointermove", "keydown", "focusin", "input", "scroll"] as const;

/** Pages that can be read without being live; any other path is logged as unknown. */
const READABLE = /^\/(floor-plans\/?)?$/;

/** What only script shows: a large plan, a comparison, a question about a plan. */
const ASKS = /[?&](plan|compare|ask)=/;

function start(): void {
  for (const use of USES) {
    window.removeEventListener(use, start);
  }
  // Without a network there is nothing to make it live with: the next use tries again.
  import("./entry-client.tsx").catch(startAtFirstUse);
}

function startAtFirstUse(): void {
  for (const use of USES) {
    window.addEventListener(use, start, { passive: true });
  }
}

function writeToday(): void {
  const time = document.querySelector<HTMLTimeElement>("#blog time");
  if (time !== null) {
    const day = localDay(new Date());
    time.dateTime = day;
    time.textContent = dayInWords(day, languageOf(document.documentElement.lang));
  }
}

const { pathname, search, hash } = window.location;
if (!READABLE.test(pathname) || ASKS.test(search) || hash !== "") {
  start();
} else {
  startAtFirstUse();
}
keepLanding();
writeToday();
