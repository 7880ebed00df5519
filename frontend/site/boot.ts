// The first import, because it declares the order of the cascade layers.
import "#shared/styles/site.css";
import { keepPresses, replayPress } from "./early-press.ts";

/** Milliseconds after which the page is hydrated without the first picture. */
const LONGEST_WAIT_MS = 2_000;

/** Hydrates the document, and replays the press. */
const load = () => import("./entry-client.tsx");

/** Starts to load every module of the page. Without the list, a module would wait for the one that imports it. */
function preload(): void {
  const script = document.querySelector<HTMLScriptElement>("script[data-modules]");
  for (const href of script?.dataset["modules"]?.split(" ") ?? []) {
    const link = Object.assign(document.createElement("link"), { rel: "modulepreload", href });
    document.head.append(link);
  }
}

async function start(): Promise<void> {
  startTriggers.abort();
  clearTimeout(timer);
  preload();
  // Without the chunks the document stays unhydrated: it is readable, and the browser sends its form.
  await load().catch(load).catch(replayPress);
}

/** The page scrolls smoothly to the target of a clicked link, but jumps on Tab and Back. */
function toggleSmoothScroll({ type, target }: Event): void {
  const isPress = type === "click" && target instanceof Element && target.closest("a") !== null;
  document.documentElement.classList.toggle("smooth-scroll", isPress);
}

for (const type of ["click", "keydown", "scrollend"]) {
  document.addEventListener(type, toggleSmoothScroll, true);
}
keepPresses();
// Loads the scripts after the picture of the first screen, which they would delay, or on the first press.
const startTriggers = new AbortController();
window.addEventListener("load", start, startTriggers);
window.addEventListener("pointerdown", start, startTriggers);
const timer = setTimeout(start, LONGEST_WAIT_MS);
