import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useLanguage } from "#i18n/use-language.ts";
import { anchors, href } from "#routes.ts";
import { AnchorLink } from "./anchor-link.tsx";
import "#ui/button.css";
import { buttonRole } from "#ui/link-events.ts";
import { Wordmark } from "./wordmark.tsx";
import "./bar.css";
import { LanguageToggle } from "./language-toggle.tsx";
import { Menu } from "./menu.tsx";
import { NavigationLinks } from "./navigation-links.tsx";
import { useCurrentItem } from "./use-current-item.ts";
import type { MenuState } from "./use-menu.ts";

/** Always in sight: with the links where there is room for them, else with the menu. */
export function Bar({ menu }: { menu: MenuState }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const current = useCurrentItem();
  return (
    <header className={menu.open ? "bar on-ink" : "bar"}>
      <div className="bar-row page-width">
        <Link
          className="bar-home"
          to={href("home", language)}
          aria-label={t("bar.home")}
          onClick={menu.close}
        >
          <Wordmark />
        </Link>
        <nav className="bar-navigation" aria-label={t("bar.main")}>
          <NavigationLinks current={current} />
        </nav>
        <LanguageToggle />
        <AnchorLink
          className="button button-small bar-register"
          to={anchors.form}
          onClick={menu.close}
          {...buttonRole}
        >
          {t("bar.register")}
        </AnchorLink>
        <Menu menu={menu} current={current} />
      </div>
    </header>
  );
}
