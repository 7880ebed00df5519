import { type ClipboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { privacyPolicyVersion } from "#content/project.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { anchors } from "#routes.ts";
import "#ui/button.css";
import { InputField, TextAreaField } from "#ui/field.tsx";
import { InterestChoices } from "./interest-choices.tsx";
import { PreferredTime } from "./preferred-time.tsx";
import { PrivacyConsent } from "./privacy-consent.tsx";
import { type FieldName, inputLimits, isErrorCode } from "./registration.ts";
import "./registration-form.css";
import { RegistrationNote } from "./registration-note.tsx";
import { type RegistrationServices, RegistrationToast } from "./registration-provider.tsx";
import { withSentence } from "./sentences.ts";
import { useAskedPlan } from "./use-asked-plan.ts";
import { useRegistration } from "./use-registration.ts";

interface RegistrationFormProps {
  services: RegistrationServices;
  /** What stands before the fields, and after them. */
  words?: ReactNode;
  desk?: ReactNode;
}

export function RegistrationForm({ services, words, desk }: RegistrationFormProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { form, notice, edited, submitting, submit, submitWhenOnline, noteEdit } =
    useRegistration(services);
  const { register, formState, getValues, setValue } = form;
  const visits = form.watch("interests").includes("showflat");
  const [cut, setCut] = useState(false);
  const element = useRef<HTMLFormElement>(null);

  // What was told before the visitor came back to this page is no reason to move it.
  const heard = useRef(notice?.serial);

  useEffect(() => {
    const isNew = heard.current !== notice?.serial;
    heard.current = notice?.serial;
    if (isNew && notice?.kind === "invalid" && element.current !== null) {
      showField(element.current, notice.firstField);
    }
  }, [notice]);

  /** A browser cuts what is pasted at the field's limit, and says nothing. */
  function notePaste({ clipboardData }: ClipboardEvent): void {
    const whole = getValues("mobile").length + clipboardData.getData("text").length;
    setCut(whole > inputLimits.mobile);
  }

  function write(sentence: string, earlier = ""): void {
    setValue("questions", withSentence(getValues("questions"), sentence, earlier));
    noteEdit();
  }

  const message = useAskedPlan((sentence) => {
    const interests = getValues("interests");
    setValue("interests", [...new Set([...interests, "purchase" as const])]);
    write(sentence);
  });

  const accepted = notice?.kind === "accepted" ? notice.serial : 0;

  const errorOf = (field: FieldName) => {
    const code: unknown = formState.errors[field]?.type;
    return isErrorCode(code) ? t(`registration.error.${code}`) : undefined;
  };

  return (
    // Without script it posts, and is answered by a page.
    <form
      ref={element}
      id={anchors.form}
      className="contact page-grid"
      method="post"
      action={`/functions/v1/posted-form?lang=${language}`}
      noValidate
      aria-labelledby="contact-heading"
      onChange={() => {
        setCut(cut && getValues("mobile").length >= inputLimits.mobile);
        noteEdit();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {words}
      <div className="contact-form">
        <div className="registration">
          <p className="registration-hint">
            {t("registration.requiredBefore")}
            {/* Said, too: the sentence makes no sense without it. */}
            <span className="asterisk">*</span>
            {t("registration.requiredAfter")}
          </p>
          <InterestChoices error={errorOf("interests")} registration={register("interests")} />
          <PreferredTime key={accepted} offered={visits} write={write} />
          <InputField
            id="name"
            label={t("registration.name")}
            error={errorOf("name")}
            width="half"
            autoComplete="name"
            maxLength={inputLimits.name}
            {...register("name")}
          />
          <InputField
            id="mobile"
            label={t("registration.mobile")}
            error={
              errorOf("mobile") ??
              (cut ? t("registration.mobileCut", { limit: inputLimits.mobile }) : undefined)
            }
            onPaste={notePaste}
            width="half"
            type="tel"
            autoComplete="tel"
            maxLength={inputLimits.mobile}
            {...register("mobile")}
          />
          <InputField
            id="email"
            label={t("registration.email")}
            error={errorOf("email")}
            type="email"
            autoComplete="email"
            maxLength={inputLimits.email}
            {...register("email")}
          />
          <TextAreaField
            id="questions"
            label={t("registration.questions")}
            error={errorOf("questions")}
            optional={t("registration.optional")}
            rows={4}
            maxLength={inputLimits.questions}
            {...register("questions")}
          />
          <InputField
            id="antiSpam"
            label={t("registration.antiSpam")}
            error={errorOf("antiSpam")}
            width="short"
            inputMode="numeric"
            autoComplete="off"
            maxLength={inputLimits.antiSpam}
            {...register("antiSpam")}
          />
          <WithoutScript />
          <PrivacyConsent
            error={errorOf("privacyAccepted")}
            registration={register("privacyAccepted")}
          />
          <div className="registration-send">
            <button type="submit" className="button button-large" disabled={submitting}>
              {submitting ? t("registration.submitting") : t("registration.submit")}
            </button>
          </div>
          <RegistrationNote
            notice={edited && notice?.kind !== "accepted" ? null : notice}
            message={message}
            onSendLater={submitWhenOnline}
          />
        </div>
        <RegistrationToast />
      </div>
      {desk}
    </form>
  );
}

/** What the page's own script says in headers or checks by other means: for a form that posts without it. */
function WithoutScript() {
  return (
    <>
      <input type="hidden" name="privacyPolicyVersion" value={privacyPolicyVersion} />
      {/* Nobody sees it, and who fills it in is no person. */}
      <div className="registration-trap" aria-hidden="true">
        <input type="text" name="website" tabIndex={-1} autoComplete="off" />
      </div>
      <noscript>
        {/* Begins the session. */}
        <img src="/functions/v1/form-session" width={1} height={1} alt="" />
      </noscript>
    </>
  );
}

/** Scrolls the label into view, then puts the focus on the field: the label must not hide behind the bar. */
function showField(form: HTMLFormElement, field: FieldName): void {
  const input = form.querySelector<HTMLElement>(`[name="${field}"]`);
  if (input === null) {
    return;
  }
  const label =
    input.closest("fieldset")?.querySelector("legend") ??
    form.querySelector(`label[for="${input.id}"]`);
  label?.scrollIntoView();
  input.focus({ preventScroll: true });
}
