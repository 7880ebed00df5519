import { type MouseEvent, useCallback, useEffect, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { isPlainClick } from "#shared/ui/link-events.ts";
import { anchors, href, routes } from "#site/routes.ts";
import "./menu.css";
import { type NavigationItem, NavigationLinks } from "./navigation.tsx";
import { RegisterLink } from "./page-link.tsx";

/** The least width at which the bar shows the links. */
const WIDE = "(min-width: 80em)";

/** Milliseconds between closing the menu and scrolling to the form. */
const REGISTER_DELAY_MS = 100;

export type MenuState = ReturnType<typeof useMenu>;

/** The mobile menu is a `<details>`, which works without JavaScript. The component tracks its state and closes it. */
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
    // The visitor may have opened the menu before hydration.
    follow();
    const closeByKey = (event: KeyboardEvent) => {
      // The toggle event is asynchronous, so `open` may be out of date.
      if (event.key === "Escape" && details.current?.open) {
        focusToggle(details.current);
        close();
      }
    };
    // Browsers without `inert` let the focus leave the menu for the page behind it.
    const closeByFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.closest("main, footer") !== null) {
        close();
      }
    };
    const wide = window.matchMedia(WIDE);
    document.addEventListener("keydown", closeByKey);
    document.addEventListener("focusin", closeByFocus);
    wide.addEventListener("change", close);
    return () => {
      document.removeEventListener("keydown", closeByKey);
      document.removeEventListener("focusin", closeByFocus);
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
    // If it was opened before hydration, it has an attribute that React did not set.
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
