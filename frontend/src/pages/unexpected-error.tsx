import { useTranslation } from "react-i18next";
import "./message-page.css";

/** Stands in for a page that threw. */
export function UnexpectedErrorPage() {
  const { t } = useTranslation();
  return (
    <section className="message page-width">
      <h1>{t("unexpected.heading")}</h1>
      <p>{t("unexpected.text")}</p>
    </section>
  );
}
