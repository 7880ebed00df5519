// First, because it declares the order of the cascade layers.
import "#styles/site.css";

/** A picture that does not arrive must not keep the page from being hydrated. */
const LONGEST_WAIT_MS = 2_000;

const load = () => import("./entry-client.tsx");

/** The picture, plan or button that was pressed before the page was hydrated. */
let pressed: HTMLElement | undefined;

function keepPress(event: MouseEvent): void {
  const { target } = event;
  const control =
    target instanceof Element &&
    target.closest<HTMLElement>(".large-picture, .plan-link, button[type=button]");
  if (control && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)) {
    event.preventDefault();
    pressed = control;
  }
}

async function start(): Promise<void> {
  starters.abort();
  clearTimeout(timer);
  // Without its chunks the document stays as it is. It can be read, and the browser sends its form.
  await load()
    .catch(load)
    .catch(() => {});
  document.removeEventListener("click", keepPress);
  // Opens large, or follows its link where the page could not be hydrated.
  pressed?.click();
}

/** The page glides to the target of a link that is pressed, and leaps to what Tab or Back leads to. */
function glide({ type, target }: Event): void {
  const isPress = type === "click" && target instanceof Element && target.closest("a") !== null;
  document.documentElement.classList.toggle("gliding", isPress);
}

for (const type of ["click", "keydown", "scrollend"]) {
  document.addEventListener(type, glide, true);
}
document.addEventListener("click", keepPress);
// On a slow network the scripts would delay the picture of the first screen, but not beyond the first press.
const starters = new AbortController();
window.addEventListener("load", start, starters);
window.addEventListener("pointerdown", start, starters);
const timer = setTimeout(start, LONGEST_WAIT_MS);
