import { type MouseEvent, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router-dom";
import { useLanguage } from "#i18n/use-language.ts";
import { anchors, href, routes } from "#routes.ts";
import { isPlainClick } from "#ui/link-events.ts";
import "./menu.css";
import { type NavigationItem, NavigationLinks } from "./navigation.tsx";
import { RegisterLink } from "./page-link.tsx";

/** From here up the bar has room for the links. */
const WIDE = "(min-width: 80em)";

/** How long after closing the menu Register scrolls to the form. */
const REGISTER_DELAY_MS = 100;

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

export function Menu({ menu, current }: { menu: MenuState; current: NavigationItem | null }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const atHome = pathname === routes.home.path;

  function register(event: MouseEvent): void {
    menu.close();
    if (isPlainClick(event)) {
      event.preventDefault();
      setTimeout(() => {
        navigate(`${atHome ? search : href("home", language)}#${anchors.form}`);
      }, REGISTER_DELAY_MS);
    }
  }

  return (
    // Opened before hydration, it has an attribute that React did not write.
    <details ref={menu.details} className="menu" onToggle={menu.follow} suppressHydrationWarning>
      <summary className="menu-toggle">
        <span className="visually-hidden">{t("bar.menu")}</span>
        <span className="menu-stroke" />
        <span className="menu-stroke" />
      </summary>
      <div className="menu-panel on-ink">
        <nav aria-label={t("bar.menu")}>
          <NavigationLinks current={current} onFollow={menu.close} />
        </nav>
        <RegisterLink className="button button-large" onClick={register}>
          {t("bar.register")}
        </RegisterLink>
      </div>
    </details>
  );
}
