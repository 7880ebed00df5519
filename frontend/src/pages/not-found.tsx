import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router-dom";
import { PageLink } from "#shell/page-link.tsx";
import { Arrow } from "#ui/arrow.tsx";
import "#ui/button.css";
import { MessagePage } from "./message-page.tsx";

export function NotFoundPage() {
  const { t } = useTranslation();
  const { pathname } = useLocation();

  useEffect(() => {
    console.error("404: no page at", pathname);
  }, [pathname]);

  return (
    <MessagePage>
      <h1>{t("notFound.heading")}</h1>
      <p>{t("notFound.text")}</p>
      <PageLink className="button" to="home">
        {t("notFound.home")}
      </PageLink>
      <PageLink className="arrow-link" to="floorPlans">
        {t("hero.plans")}
        <Arrow />
      </PageLink>
    </MessagePage>
  );
}
