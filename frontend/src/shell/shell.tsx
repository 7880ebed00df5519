import { type ReactNode, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { NavigationType, useLocation, useNavigationType } from "react-router-dom";
import { Bar } from "./bar.tsx";
import { Footer } from "./footer.tsx";
import { useLanguageInAddress } from "./language-toggle.tsx";
import { useMenu } from "./menu.tsx";
import "./shell.css";

export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const menu = useMenu();
  useScrollToTarget();
  useLanguageInAddress();
  return (
    <>
      <a className="skip" href="#main" inert={menu.open}>
        {t("bar.skip")}
      </a>
      <Bar menu={menu} />
      <main id="main" tabIndex={-1} inert={menu.open}>
        {children}
      </main>
      <Footer inert={menu.open} />
    </>
  );
}

/**
 * The router follows links without the browser's own scrolling: this goes where the link points, at once on
 * another page. Back and Forward, and plain fragments, are left to the browser, which knows where the visitor was.
 */
function useScrollToTarget(): void {
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
    const target = followed ? document.getElementById(location.hash.slice(1)) : null;
    const behavior = onOtherPage ? "instant" : "auto";
    if (target) {
      target.scrollIntoView({ behavior });
    } else if (followed) {
      window.scrollTo({ top: 0, behavior });
    } else if (onOtherPage) {
      returnAtOnce();
    }
    // The link is gone or behind: what it led to takes the focus, so that reading and Tab go on from there.
    const reached = target ?? (onOtherPage ? document.getElementById("main") : null);
    if (reached?.hasAttribute("tabindex") === false) {
      reached.tabIndex = -1;
    }
    reached?.focus({ preventScroll: true });
  }, [location, followed]);
}

/** Without this, browsers glide from the beginning of the page to where the visitor was on it. */
function returnAtOnce(): void {
  const { classList } = document.documentElement;
  classList.add("returning");
  for (const next of ["pointerdown", "keydown"]) {
    document.addEventListener(next, () => classList.remove("returning"), { once: true });
  }
}
