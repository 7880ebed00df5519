import { useTranslation } from "react-i18next";
import { privacyPolicyVersion, project } from "#content/project.ts";
import { useFactText } from "#content/project-facts.tsx";
import { anchors } from "#routes.ts";
import "./privacy-policy.css";

/** What the form's consent is to: the text whose version travels with each lead. */
export function PrivacyPolicy() {
  const { t } = useTranslation();
  const factText = useFactText();
  const { privacyContact, retention } = project;
  const items = {
    collected: t("privacy.collectedText"),
    why: t("privacy.whyText"),
    howLong:
      retention === null
        ? t("privacy.howLongOpen")
        : t("privacy.howLongKnown", { period: factText(retention) }),
    whom: privacyContact === null ? t("privacy.whomOpen") : factText(privacyContact),
    withdraw: t("privacy.withdrawText"),
    browser: t("privacy.browserText"),
  };
  return (
    <section
      id={anchors.privacy}
      className="privacy page-grid quiet"
      aria-labelledby="privacy-policy-heading"
    >
      <div className="privacy-words stack">
        <h2 id="privacy-policy-heading" className="h3">
          {t("privacy.heading")}
        </h2>
        <p>{t("privacy.intro")}</p>
        <p className="small">{t("privacy.version", { version: privacyPolicyVersion })}</p>
      </div>
      <div className="privacy-items hairline-list hairline-list-closed">
        {Object.entries(items).map(([name, text]) => (
          <details key={name}>
            <summary className="label">{t(`privacy.${name as keyof typeof items}`)}</summary>
            <p>{text}</p>
          </details>
        ))}
      </div>
    </section>
  );
}
