import { useTranslation } from "react-i18next";
import { privacyPolicyVersion, project } from "#content/project.ts";
import { useFactText } from "#content/project-facts.tsx";
import type { Messages } from "#i18n/messages.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { anchors } from "#routes.ts";
import { Folds } from "#ui/folds.tsx";
import "./privacy-policy.css";

/** The policy that the form's consent accepts. Each lead contains its version. */
export function PrivacyPolicy() {
  const { t } = useTranslation();
  const texts = t("privacy", { returnObjects: true, skipInterpolation: true });
  return <PrivacyText texts={texts} version={privacyPolicyVersion} />;
}

interface PrivacyTextProps {
  texts: Messages["privacy"];
  version: string;
  isOpen?: boolean;
}

/** One version of the policy, as visitors accepted it. */
export function PrivacyText({ texts, version, isOpen = false }: PrivacyTextProps) {
  const factText = useFactText();
  const language = useLanguage();
  const { privacyContact, retention } = project;
  const [beforePeriod, afterPeriod] = texts.howLongKnown.split("{{period}}");
  const items = {
    [texts.collected]: texts.collectedText,
    [texts.why]: texts.whyText,
    [texts.howLong]:
      retention === null ? (
        texts.howLongOpen
      ) : (
        <>
          {beforePeriod}
          {factText(retention)}
          {afterPeriod}
        </>
      ),
    [texts.whom]: privacyContact === null ? texts.whomOpen : factText(privacyContact),
    [texts.withdraw]: texts.withdrawText,
    [texts.browser]: texts.browserText,
  };
  return (
    <section
      id={anchors.privacy}
      className="privacy page-grid quiet"
      aria-labelledby="privacy-policy-heading"
    >
      <div className="privacy-words stack">
        <h2 id="privacy-policy-heading" className="h3">
          {texts.heading}
        </h2>
        <p>{texts.intro}</p>
        <p className="small">
          <a href={`/privacy/${version}?lang=${language}`}>
            {texts.version.replace("{{version}}", version)}
          </a>
        </p>
      </div>
      <Folds items={items} isOpen={isOpen} />
    </section>
  );
}
