import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router-dom";
import { useLanguage } from "#i18n/use-language.ts";
import { href } from "#routes.ts";
import { Link } from "#ui/link.tsx";
import "#ui/button.css";
import "./message-page.css";

export function NotFoundPage() {
  const { t } = useTranslation();
  const language = useLanguage();
  const { pathname } = useLocation();

  useEffect(() => {
    console.error("404: no page at", pathname);
  }, [pathname]);

  return (
    <section className="message page-width">
      <h1>{t("notFound.heading")}</h1>
      <p>{t("notFound.text")}</p>
      <Link className="button" to={href("home", language)}>
        {t("notFound.home")}
      </Link>
    </section>
  );
}
