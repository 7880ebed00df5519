import { useTranslation } from "react-i18next";
import { project, towers } from "#content/project.ts";
import { ContactSection } from "#features/registration/contact-section.tsx";
import { Elevation } from "#ui/elevation.tsx";
import "./home.css";

const facts = ["residences", "tenure", "apartments"] as const;

export function HomePage() {
  const { t } = useTranslation();
  return (
    <>
      <section className="opening on-ink">
        <div className="opening-body page-grid">
          <div className="opening-words">
            <h1 className="opening-name">{project.name}</h1>
            <p className="opening-lead">{t("opening.lead")}</p>
            <dl className="opening-facts">
              {facts.map((fact) => (
                <div key={fact}>
                  <dt>{t(`opening.facts.${fact}.figure`)}</dt>
                  <dd>{t(`opening.facts.${fact}.text`)}</dd>
                </div>
              ))}
            </dl>
          </div>
          <div className="opening-elevation">
            <Elevation storeys={towers} />
          </div>
        </div>
      </section>
      <ContactSection />
      <section id="privacy-policy" className="privacy page-grid">
        <h2>{t("privacy.heading")}</h2>
        <p>{t("privacy.text")}</p>
      </section>
    </>
  );
}
