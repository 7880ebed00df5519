/** The control that was pressed before hydration. */
let pressed: HTMLElement | undefined;

function keep(event: MouseEvent): void {
  const { target } = event;
  // Enter in a field clicks the form's button.
  const control = target instanceof Element && target.closest<HTMLElement>("[data-replay]");
  if (control && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)) {
    event.preventDefault();
    pressed?.removeAttribute("aria-busy");
    pressed = control;
    control.setAttribute("aria-busy", "true");
  }
}

/**
 * Keeps presses of controls with `data-replay` until `replayPress`. Their components mark controls that do less without
 * their script, or lose what was typed.
 */
export function keepPresses(): void {
  document.addEventListener("click", keep);
}

/** Repeats the last press: the hydrated control acts, and without hydration the browser follows its link. */
export function replayPress(): void {
  document.removeEventListener("click", keep);
  pressed?.removeAttribute("aria-busy");
  pressed?.click();
  pressed = undefined;
}
