import { useEffect, useRef } from "react";
import { useLocation } from "react-router-dom";

/** The router changes the page without the browser's own scrolling: after a change, goes where the link points. */
export function useScrollToTarget(): void {
  const { pathname, hash } = useLocation();
  const shown = useRef(pathname);

  useEffect(() => {
    if (shown.current === pathname) {
      return;
    }
    shown.current = pathname;
    const target = hash === "" ? null : document.getElementById(hash.slice(1));
    if (target === null) {
      window.scrollTo(0, 0);
      document.getElementById("main")?.focus({ preventScroll: true });
    } else {
      target.scrollIntoView();
    }
  }, [pathname, hash]);
}
