import { contain } from "#ui/zoom.ts";

type Drawing = HTMLImageElement | null;

/** Changes the page so that one drawing seems to become another; where motion is not possible or not welcome, at once. */
export async function morph(
  from: Drawing,
  change: () => void | Promise<void>,
  to: () => Drawing,
): Promise<void> {
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (still || !("startViewTransition" in document)) {
    // Soon rather than at once: React may be rendering.
    await Promise.resolve();
    await change();
    return;
  }
  lift(from);
  const transition = document.startViewTransition(async () => {
    drop(from);
    await change();
    lift(to());
  });
  // A transition that is skipped has still changed the page.
  transition.ready.catch(() => {});
  await transition.finished;
  drop(to());
}

/** Names a drawing for the transition, see plan-dialog.css, and takes from its box what it leaves empty. */
function lift(drawing: Drawing): void {
  if (drawing === null || drawing.naturalWidth === 0) {
    return;
  }
  const { width, height } = contain(
    { width: drawing.naturalWidth, height: drawing.naturalHeight },
    { width: drawing.offsetWidth, height: drawing.offsetHeight },
  );
  drawing.style.setProperty("width", `${width}px`);
  drawing.style.setProperty("height", `${height}px`);
  drawing.style.setProperty("margin", "auto");
  drawing.style.setProperty("view-transition-name", "floor-plan");
}

function drop(drawing: Drawing): void {
  for (const property of ["width", "height", "margin", "view-transition-name"]) {
    drawing?.style.removeProperty(property);
  }
}
