import { useTranslation } from "react-i18next";
import { Wordmark } from "#ui/wordmark.tsx";
import "./footer.css";

export function Footer() {
  const { t } = useTranslation();
  return (
    <footer className="footer on-ink">
      <div className="footer-body page-width">
        <div className="footer-wordmark" aria-hidden="true">
          <Wordmark />
        </div>
        <p className="footer-line">{t("footer.copyright")}</p>
      </div>
    </footer>
  );
}
