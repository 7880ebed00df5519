import { useTranslation } from "react-i18next";
import { useLanguage } from "#i18n/use-language.ts";
import { anchors } from "#routes.ts";
import { PageLink } from "#shell/page-link.tsx";
import "./latest-update.css";
import { dayInWords, useToday } from "./today.ts";

/** The page rises into the hero like a step, which carries the date. */
export function LatestUpdate() {
  const { t } = useTranslation();
  return (
    <section id={anchors.update} className="update">
      <div className="update-step spread">
        <h2 className="label">{t("update.label")}</h2>
        <p className="update-date unbroken">
          <Today />
        </p>
      </div>
      <div className="update-body page-grid">
        <h3>{t("update.heading")}</h3>
        <p className="quiet">
          {t("update.before")}
          <PageLink to={anchors.callToAction}>{t("update.link")}</PageLink>
          {t("update.after")}
        </p>
      </div>
    </section>
  );
}

function Today() {
  const language = useLanguage();
  const day = useToday();
  return (
    <time dateTime={day} suppressHydrationWarning>
      {dayInWords(day, language)}
    </time>
  );
}
