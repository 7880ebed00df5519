import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router-dom";
import { routes } from "#routes.ts";
import "#ui/button.css";
import { Wordmark } from "#ui/wordmark.tsx";
import "./bar.css";
import { LanguageToggle } from "./language-toggle.tsx";

export function Bar() {
  const { t } = useTranslation();
  return (
    <header className="bar">
      <div className="bar-row page-width">
        <Link className="bar-home" to={routes.home.path} aria-label={t("bar.home")}>
          <Wordmark />
        </Link>
        <LanguageToggle />
        <RegisterLink />
      </div>
    </header>
  );
}

function RegisterLink() {
  const { t } = useTranslation();
  const atHome = useLocation().pathname === routes.home.path;
  const look = "button button-small bar-register";
  // On the page itself a plain fragment works without script, and keeps `?lang`.
  return atHome ? (
    <a className={look} href="#contact-form">
      {t("bar.register")}
    </a>
  ) : (
    <Link className={look} to={`${routes.home.path}#contact-form`}>
      {t("bar.register")}
    </Link>
  );
}
