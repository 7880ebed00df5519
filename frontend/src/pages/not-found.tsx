import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router-dom";
import { useLanguage } from "#i18n/use-language.ts";
import { href } from "#routes.ts";
import { Arrow } from "#ui/arrow.tsx";
import "#ui/button.css";
import { MessagePage } from "./message-page.tsx";

export function NotFoundPage() {
  const { t } = useTranslation();
  const language = useLanguage();
  const { pathname } = useLocation();

  useEffect(() => {
    console.error("404: no page at", pathname);
  }, [pathname]);

  return (
    <MessagePage>
      <h1>{t("notFound.heading")}</h1>
      <p>{t("notFound.text")}</p>
      <Link className="button" to={href("home", language)}>
        {t("notFound.home")}
      </Link>
      <Link className="arrow-link" to={href("floorPlans", language)}>
        {t("hero.plans")}
        <Arrow />
      </Link>
    </MessagePage>
  );
}
