import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { FactText } from "#content/fact-text.tsx";
import { privacyPolicyVersion, project } from "#content/project.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { anchors } from "#routes.ts";
import "./privacy-policy.css";

/** What the form's consent is to: the text whose version travels with each lead. */
export function PrivacyPolicy() {
  const { t } = useTranslation();
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
        <Item name={t("privacy.collected")}>{t("privacy.collectedText")}</Item>
        <Item name={t("privacy.why")}>{t("privacy.whyText")}</Item>
        <Item name={t("privacy.howLong")}>
          <Retention />
        </Item>
        <Item name={t("privacy.whom")}>
          {project.privacyContact === null ? (
            t("privacy.whomOpen")
          ) : (
            <FactText fact={project.privacyContact} />
          )}
        </Item>
        <Item name={t("privacy.withdraw")}>{t("privacy.withdrawText")}</Item>
        <Item name={t("privacy.browser")}>{t("privacy.browserText")}</Item>
      </div>
    </section>
  );
}

function Item({ name, children }: { name: string; children: ReactNode }) {
  return (
    <details>
      <summary className="label">{name}</summary>
      <p>{children}</p>
    </details>
  );
}

function Retention() {
  const { t } = useTranslation();
  const language = useLanguage();
  const { retention } = project;
  if (retention === null) {
    return t("privacy.howLongOpen");
  }
  const period = typeof retention === "string" ? retention : retention[language];
  return t("privacy.howLongKnown", { period });
}
