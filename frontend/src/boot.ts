// First, because it declares the order of the cascade layers.
import "#styles/site.css";

/** The document is complete as it came: its first screen is fetched and painted before the page is made live. */
function firstScreenShown(): Promise<void> {
  return new Promise((resolve) => {
    const afterPaint = () => requestAnimationFrame(() => setTimeout(resolve));
    if (document.readyState === "complete" || document.visibilityState === "hidden") {
      // A page in the background is not painted.
      setTimeout(resolve);
    } else {
      window.addEventListener("load", afterPaint, { once: true });
    }
  });
}

void firstScreenShown().then(() => import("./entry-client.tsx"));
