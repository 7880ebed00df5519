import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { unbroken } from "#shared/ui/unbroken.tsx";
import { Impression } from "#site/art/impression.tsx";
import { project } from "#site/content/project.ts";
import { ContactWays, useFactText } from "#site/content/project-facts.tsx";
import "./contact-section.css";

const receive = ["released", "showFlat", "answer"] as const;

const facts = [
  ["showFlat", project.showFlatAddress],
  ["hours", project.showFlatHours],
] as const;

/** Explains the form and what a visitor receives. */
export function ContactWords() {
  const { t } = useTranslation();
  return (
    <div className="contact-words">
      <h2 id="contact-heading">{t("contact.heading")}</h2>
      <p className="contact-text quiet">{t("contact.text")}</p>
      <h3 className="contact-receive label">{t("contact.receive.heading")}</h3>
      <ul className="contact-receives hairline-list hairline-list-closed">
        {receive.map((item) => (
          <li key={item}>{unbroken(t(`contact.receive.${item}`))}</li>
        ))}
      </ul>
    </div>
  );
}

/** Other contact channels. */
export function ContactDesk() {
  const { t } = useTranslation();
  const factText = useFactText();
  return (
    <div className="contact-desk">
      <ContactWays message={t("registration.message")} />
      <dl className="hairline-list hairline-list-closed">
        {facts.map(
          ([name, fact]) =>
            fact !== null && (
              <div key={name} className="spread">
                <dt>{t(`contact.${name}`)}</dt>
                <dd className="quiet">{factText(fact)}</dd>
              </div>
            ),
        )}
      </dl>
      <Impression
        of="lobby"
        className="contact-picture"
        sizes="(max-width: 61.99em) 94vw, (max-width: 80em) 40vw, 540px"
      />
    </div>
  );
}
