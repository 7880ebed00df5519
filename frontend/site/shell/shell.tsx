import { type ReactNode, useLayoutEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router-dom";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Arrow } from "#shared/ui/icons.tsx";
import { entryStateOf } from "#site/history-entry.ts";
import { anchors } from "#site/routes.ts";
import "./bar.css";
import "./footer.css";
import { LanguageToggle, useLanguageInAddress } from "./language-toggle.tsx";
import { Menu, type MenuState, useMenu } from "./menu.tsx";
import { NavigationLinks, useCurrentItem } from "./navigation.tsx";
import { PageLink, RegisterLink } from "./page-link.tsx";
import "./shell.css";
import { Wordmark } from "#shared/ui/wordmark.tsx";

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

function Bar({ menu }: { menu: MenuState }) {
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

function Footer({ inert }: { inert: boolean }) {
  const { t } = useTranslation();
  return (
    <footer className="footer on-ink" inert={inert}>
      <div className="footer-body page-grid">
        <div aria-hidden="true">
          <Wordmark />
        </div>
        <nav className="footer-navigation" aria-label={t("footer.navigation")}>
          <NavigationLinks current={null} />
          <LanguageToggle />
        </nav>
        <div className="footer-developer">
          <h2 className="label">{t("footer.developer")}</h2>
          <p className="footer-statement">{t("footer.developerHeading.heading")}</p>
          <PageLink className="arrow-link" to={anchors.information}>
            {t("footer.aboutDeveloper")}
            <Arrow />
          </PageLink>
        </div>
        <div className="footer-end cluster small quiet">
          <p>{t("footer.copyright")}</p>
          <p>{t("footer.pictures")}</p>
          <PageLink className="footer-privacy" to={anchors.privacy}>
            {t("footer.privacy")}
          </PageLink>
        </div>
      </div>
    </footer>
  );
}

/** Scrolls to the target of a link, because the router does not. After Back and for fragments the browser scrolls. */
function useScrollToTarget(): void {
  const location = useLocation();
  const followed = useNavigationType() !== NavigationType.Pop && !entryStateOf(location).inPlace;
  const shown = useRef(location);

  useLayoutEffect(() => {
    const { pathname, key } = shown.current;
    shown.current = location;
    if (location.key === key) {
      return;
    }
    const onOtherPage = location.pathname !== pathname;
    const target = followed ? document.getElementById(location.hash.slice(1)) : null;
    // A new page starts at its place. Only the same page scrolls there smoothly, if the link was clicked.
    const behavior = onOtherPage ? "instant" : "auto";
    if (onOtherPage) {
      document.documentElement.classList.remove("smooth-scroll");
    }
    if (target) {
      target.scrollIntoView({ behavior });
    } else if (followed) {
      window.scrollTo({ top: 0, left: 0, behavior });
    }
    // Moves the focus to the target, so that screen readers and Tab continue there.
    const reached = target ?? (onOtherPage ? document.getElementById("main") : null);
    if (reached?.hasAttribute("tabindex") === false) {
      reached.tabIndex = -1;
    }
    reached?.focus({ preventScroll: true });
  }, [location, followed]);
}
