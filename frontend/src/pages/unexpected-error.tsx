import { useTranslation } from "react-i18next";
import "#ui/button.css";
import { MessagePage } from "./message-page.tsx";

/** Stands in for a page that threw. */
export function UnexpectedErrorPage() {
  const { t } = useTranslation();
  return (
    <MessagePage>
      <h1 className="message-sentence">{t("unexpected.heading")}</h1>
      <p>{t("unexpected.text")}</p>
      <button type="button" className="button" onClick={() => window.location.reload()}>
        {t("unexpected.reload")}
      </button>
    </MessagePage>
  );
}
