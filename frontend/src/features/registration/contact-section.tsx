import { useTranslation } from "react-i18next";
import { project } from "#content/project.ts";
import "./contact-section.css";
import { RegistrationForm } from "./registration-form.tsx";
import { SalesTelephone } from "./sales-telephone.tsx";

/** 'Register your Interest Now': words on the left, the form on the right. */
export function ContactSection() {
  const { t } = useTranslation();
  return (
    <div id="contact">
      <section id="contact-form" className="contact page-grid" aria-labelledby="contact-heading">
        <div className="contact-words">
          <h2 id="contact-heading">{t("contact.heading")}</h2>
          <p className="contact-text">{t("contact.text")}</p>
          <dl className="contact-desk">
            <div>
              <dt>{t("contact.salesTelephone")}</dt>
              <dd>
                <SalesTelephone />
              </dd>
            </div>
            <div>
              <dt>{t("contact.showFlat")}</dt>
              <dd>{project.showFlatAddress ?? t("contact.toBeAnnounced")}</dd>
            </div>
          </dl>
        </div>
        <div className="contact-form">
          <RegistrationForm />
        </div>
      </section>
    </div>
  );
}
