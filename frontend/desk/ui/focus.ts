import { useEffect, useRef } from "react";

/** A `ref` that focuses the element that replaces a pressed button. */
export const focusOnMount = (element: HTMLElement | null) => element?.focus();

/** Moves the focus into a panel when it opens, and back to its button when it closes. */
export function usePanelFocus(open: string | null, saved = false) {
  const section = useRef<HTMLElement>(null);
  /** The last pressed button. */
  const opener = useRef<HTMLButtonElement>(null);
  const shown = useRef({ open, saved });

  useEffect(() => {
    // React also runs this effect when a hidden view becomes visible again, whose heading has the focus.
    if (shown.current.open === open && shown.current.saved === saved) {
      return;
    }
    shown.current = { open, saved };
    const find = (selector: string) => section.current?.querySelector<HTMLElement>(selector);
    const back = opener.current?.isConnected ? opener.current : find("h2");
    const target =
      open === null ? back : find(".desk-panel :is([tabindex], input, select, textarea, button)");
    target?.focus();
  }, [open, saved]);

  return { section, opener };
}
