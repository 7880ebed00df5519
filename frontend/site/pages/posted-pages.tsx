import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import consent from "#site/content/consent.json" with { type: "json" };
import { NextSteps } from "#site/features/registration/registration-note.tsx";
import { anchors } from "#site/routes.ts";
import { PageLink } from "#site/shell/page-link.tsx";
import { MessagePage, SsiDirective, tokenMark } from "./message-pages.tsx";
import { postedTexts } from "./posted-texts.ts";

/** The response to the no-JavaScript form. nginx replaces the SSI directives. */
export function Registered() {
  const { t } = useTranslation();
  const language = useLanguage();
  const texts = postedTexts[language];
  return (
    <MessagePage>
      <h1 className="message-sentence">{texts.heading}</h1>
      <p>{t("toast.accepted")}</p>
      <p>
        {t("registration.accepted.reference")}{" "}
        <SsiDirective name="strong" text={'<!--# echo var="reference" default="" -->'} />
      </p>
      <NextSteps />
      <SsiDirective
        name="div"
        text={`<!--# if expr="$withdrawal_token" --><a class="text-button" href="/agree?token=${tokenMark}&amp;lang=${language}">${consent.question[language]}</a><!--# endif -->`}
      />
      <PageLink className="button" to="floorPlans">
        {t("registration.accepted.plans")}
      </PageLink>
    </MessagePage>
  );
}

export function NotRegistered() {
  const { t } = useTranslation();
  const texts = postedTexts[useLanguage()];
  const errors = {
    ...t("registration.error", { returnObjects: true }),
    failed: t("toast.failed"),
    rate_limited: texts.rateLimited,
  };
  return (
    <MessagePage>
      <h1 className="message-sentence">{t("registration.failed.heading")}</h1>
      <ul>
        {Object.entries(errors).map(([error, text]) => (
          <SsiDirective
            key={error}
            name="li"
            text={`<!--# if expr="$arg_errors = /\\b${error}\\b/" -->${text}<!--# else --><!--# endif -->`}
          />
        ))}
      </ul>
      <p>{texts.back}</p>
      <PageLink className="button" to={anchors.form}>
        {texts.form}
      </PageLink>
    </MessagePage>
  );
}
