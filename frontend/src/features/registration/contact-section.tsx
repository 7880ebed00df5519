import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { FactText, SalesTelephone } from "#content/fact-text.tsx";
import { project } from "#content/project.ts";
import { anchors } from "#routes.ts";
import "./contact-section.css";
import { RegistrationForm } from "./registration-form.tsx";

/** 'Register your Interest Now': words on the left, the form on the right; on a phone the form comes soon. */
export function ContactSection() {
  const { t } = useTranslation();
  return (
    <div id={anchors.contact}>
      <section id={anchors.form} className="contact page-grid" aria-labelledby="contact-heading">
        <div className="contact-words">
          <h2 id="contact-heading">{t("contact.heading")}</h2>
          <p className="contact-text">{t("contact.text")}</p>
        </div>
        <div className="contact-form">
          <RegistrationForm />
        </div>
        <dl className="contact-desk">
          <DeskLine name={t("contact.salesTelephone")}>
            <SalesTelephone />
          </DeskLine>
          <DeskLine name={t("contact.showFlat")}>
            <FactText fact={project.showFlatAddress} />
          </DeskLine>
          <DeskLine name={t("contact.hours")}>
            <FactText fact={project.showFlatHours} />
          </DeskLine>
        </dl>
      </section>
    </div>
  );
}

function DeskLine({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
