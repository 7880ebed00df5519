import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router-dom";
import { useLanguage } from "#i18n/use-language.ts";
import { anchors, href, routes } from "#routes.ts";
import "#ui/button.css";
import { isPlainClick } from "#ui/link-events.ts";
import "./menu.css";
import type { NavigationItem } from "./navigation.ts";
import { NavigationLinks } from "./navigation-links.tsx";
import { RegisterLink } from "./page-link.tsx";
import type { MenuState } from "./use-menu.ts";

/** How long after closing the menu Register scrolls to the form. */
const REGISTER_DELAY_MS = 100;

interface MenuProps {
  menu: MenuState;
  current: NavigationItem | null;
}

/** What the bar has no room for on small screens: over the whole window, behind a toggle. */
export function Menu({ menu, current }: MenuProps) {
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
