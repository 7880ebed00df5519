import { useLayoutEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router-dom";

/**
 * The router follows links without the browser's own scrolling: this goes where the link points, at once on
 * another page. Back and Forward, and plain fragments, are left to the browser, which knows where the visitor was.
 */
export function useScrollToTarget(): void {
  const location = useLocation();
  // An entry whose state says `inPlace` changes what is over the page, not the page.
  const followed = useNavigationType() !== NavigationType.Pop && location.state?.inPlace !== true;
  const shown = useRef(location);

  useLayoutEffect(() => {
    const { pathname, key } = shown.current;
    shown.current = location;
    if (location.key === key) {
      return;
    }
    const onOtherPage = location.pathname !== pathname;
    const target = location.hash === "" ? null : document.getElementById(location.hash.slice(1));
    if (followed) {
      scrollTo(target, onOtherPage ? "instant" : "auto");
    } else if (onOtherPage) {
      returnAtOnce();
    }
    if (target !== null && followed) {
      focus(target);
    } else if (onOtherPage) {
      focus(document.getElementById("main"));
    }
  }, [location, followed]);
}

function scrollTo(target: Element | null, behavior: ScrollBehavior): void {
  if (target === null) {
    window.scrollTo({ top: 0, behavior });
  } else {
    target.scrollIntoView({ behavior });
  }
}

/** Without this, browsers glide from the beginning of the page to where the visitor was on it. */
function returnAtOnce(): void {
  const { classList } = document.documentElement;
  classList.add("returning");
  for (const next of ["pointerdown", "keydown"]) {
    document.addEventListener(next, () => classList.remove("returning"), { once: true });
  }
}

/** The link is gone or behind: what it led to takes the focus, so that reading and Tab go on from there. */
function focus(element: HTMLElement | null): void {
  if (element !== null && !element.hasAttribute("tabindex")) {
    element.tabIndex = -1;
  }
  element?.focus({ preventScroll: true });
}
