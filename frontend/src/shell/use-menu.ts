import { useCallback, useEffect, useRef, useState } from "react";

/** From here up the bar has room for the links. */
const WIDE = "(min-width: 80em)";

export type MenuState = ReturnType<typeof useMenu>;

/** The mobile menu's state lives in its `<details>`, which works without script; this follows and closes it. */
export function useMenu() {
  const details = useRef<HTMLDetailsElement>(null);
  const [open, setOpen] = useState(false);

  const follow = useCallback(() => setOpen(details.current?.open ?? false), []);

  const close = useCallback(() => {
    const element = details.current;
    if (element?.open) {
      if (element.contains(document.activeElement)) {
        focusToggle(element);
      }
      element.open = false;
      setOpen(false);
    }
  }, []);

  useEffect(() => {
    // A visitor may have opened it before hydration.
    follow();
    const closeByKey = (event: KeyboardEvent) => {
      // The element tells of a change some time after it, so `open` may not have followed yet.
      if (event.key === "Escape" && details.current?.open) {
        focusToggle(details.current);
        close();
      }
    };
    const wide = window.matchMedia(WIDE);
    document.addEventListener("keydown", closeByKey);
    wide.addEventListener("change", close);
    return () => {
      document.removeEventListener("keydown", closeByKey);
      wide.removeEventListener("change", close);
    };
  }, [follow, close]);

  return { details, open, follow, close };
}

function focusToggle(details: HTMLDetailsElement): void {
  details.querySelector("summary")?.focus({ preventScroll: true });
}
