import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Folds } from "#shared/ui/folds.tsx";
import { privacyPolicyVersion } from "#site/content/project.ts";
import type { Messages } from "#site/i18n/messages.ts";
import { anchors } from "#site/routes.ts";
import "./privacy-policy.css";

/** The policy that the form's consent accepts. Each lead contains its version. */
export function PrivacyPolicy() {
  const { t } = useTranslation();
  const texts = t("privacy", { returnObjects: true, skipInterpolation: true });
  return <PrivacyText texts={texts} version={privacyPolicyVersion} />;
}

type Texts = Messages["privacy"];

/** What the first version does not have. A fact is empty if the owner had not announced it. */
type Later = "retention" | "privacyContact" | "boxes";

/** One version of the policy. */
export type PolicyTexts = Omit<Texts, Later> & Partial<Pick<Texts, Later>>;

interface PrivacyTextProps {
  texts: PolicyTexts;
  version: string;
  /** Whether the version is a separate page, not a section of the home page. */
  isPage?: boolean;
}

/** One version of the policy as visitors accepted it, with the facts that were known then. */
export function PrivacyText({ texts, version, isPage = false }: PrivacyTextProps) {
  const language = useLanguage();
  const Heading = isPage ? "h1" : "h2";
  const { retention, privacyContact } = texts;
  const items = {
    [texts.collected]: texts.collectedText,
    [texts.why]: texts.whyText,
    [texts.howLong]: retention
      ? texts.howLongKnown.replace("{{period}}", retention)
      : texts.howLongOpen,
    [texts.whom]: privacyContact || texts.whomOpen,
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
        <Heading id="privacy-policy-heading" className="h3">
          {texts.heading}
        </Heading>
        <p>{texts.intro}</p>
        <p className="small">
          <a href={`/privacy/${version}?lang=${language}`}>
            {texts.version.replace("{{version}}", version)}
          </a>
        </p>
      </div>
      <Folds items={items} isOpen={isPage} />
    </section>
  );
}
