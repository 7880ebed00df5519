// First, because it declares the order of the cascade layers.
import "#styles/site.css";

/** A picture that does not arrive must not keep the page from being hydrated. */
const LONGEST_WAIT_MS = 2_000;

const load = () => import("./entry-client.tsx");

function start(): void {
  window.removeEventListener("load", start);
  clearTimeout(timer);
  // Without its chunks the document stays as it is. It can be read, and the browser sends its form.
  load()
    .catch(load)
    .catch(() => {});
}

// On a slow network the scripts would delay the picture of the first screen.
window.addEventListener("load", start);
const timer = setTimeout(start, LONGEST_WAIT_MS);
