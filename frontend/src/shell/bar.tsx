import { useTranslation } from "react-i18next";
import { Wordmark } from "./wordmark.tsx";
import "./bar.css";
import { LanguageToggle } from "./language-toggle.tsx";
import { Menu, type MenuState } from "./menu.tsx";
import { NavigationLinks, useCurrentItem } from "./navigation.tsx";
import { PageLink, RegisterLink } from "./page-link.tsx";

export function Bar({ menu }: { menu: MenuState }) {
  const { t } = useTranslation();
  const current = useCurrentItem();
  return (
    <header className={menu.open ? "bar on-ink" : "bar"}>
      <div className="bar-row page-width">
        <PageLink className="bar-home" to="home" aria-label={t("bar.home")} onClick={menu.close}>
          <Wordmark />
        </PageLink>
        <nav className="bar-navigation" aria-label={t("bar.main")}>
          <NavigationLinks current={current} />
        </nav>
        <LanguageToggle />
        <RegisterLink className="button button-small bar-register" onClick={menu.close}>
          {t("bar.register")}
        </RegisterLink>
        <Menu menu={menu} current={current} />
      </div>
    </header>
  );
}
