// The first import, because it declares the order of the cascade layers.
import "#styles/site.css";

/** Milliseconds after which the page is hydrated without the first picture. */
const LONGEST_WAIT_MS = 2_000;

const load = () => import("./entry-client.tsx");

/** Controls that do less without their script, or lose what was typed. */
const KEPT = ".large-picture, .plan-link, .language, button";

/** The control that was pressed before hydration. */
let pressed: HTMLElement | undefined;

function keepPress(event: MouseEvent): void {
  const { target } = event;
  // Enter in a field clicks the form's button.
  const control = target instanceof Element && target.closest<HTMLElement>(KEPT);
  if (control && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)) {
    event.preventDefault();
    pressed?.removeAttribute("aria-busy");
    pressed = control;
    control.setAttribute("aria-busy", "true");
  }
}

async function start(): Promise<void> {
  starters.abort();
  clearTimeout(timer);
  // Without the chunks the document stays unhydrated: it is readable, and the browser sends its form.
  await load()
    .catch(load)
    .catch(() => {});
  document.removeEventListener("click", keepPress);
  pressed?.removeAttribute("aria-busy");
  // Opens the viewer, or follows the link if hydration failed.
  pressed?.click();
}

/** The page scrolls smoothly to the target of a clicked link, but jumps on Tab and Back. */
function glide({ type, target }: Event): void {
  const isPress = type === "click" && target instanceof Element && target.closest("a") !== null;
  document.documentElement.classList.toggle("gliding", isPress);
}

for (const type of ["click", "keydown", "scrollend"]) {
  document.addEventListener(type, glide, true);
}
document.addEventListener("click", keepPress);
// Loads the scripts after the picture of the first screen, which they would delay, or on the first press.
const starters = new AbortController();
window.addEventListener("load", start, starters);
window.addEventListener("pointerdown", start, starters);
const timer = setTimeout(start, LONGEST_WAIT_MS);
