import { useTranslation } from "react-i18next";
import { anchors } from "#routes.ts";
import { Arrow } from "#ui/icons.tsx";
import { LanguageToggle } from "./language-toggle.tsx";
import { NavigationLinks } from "./navigation.tsx";
import { PageLink } from "./page-link.tsx";
import { Wordmark } from "./wordmark.tsx";
import "./footer.css";

export function Footer({ inert }: { inert: boolean }) {
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
            {t("privacy.heading")}
          </PageLink>
        </div>
      </div>
    </footer>
  );
}
