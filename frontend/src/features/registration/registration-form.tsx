import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import "#ui/button.css";
import { InputField, TextAreaField } from "#ui/field.tsx";
import { useHydrated } from "#ui/use-hydrated.ts";
import { InterestChoices } from "./interest-choices.tsx";
import { PrivacyConsent } from "./privacy-consent.tsx";
import { type FieldName, inputLimits, isErrorCode } from "./registration.ts";
import { useRegistrationState } from "./registration-provider.tsx";
import "./registration-form.css";
import { RegistrationNote } from "./registration-note.tsx";

export function RegistrationForm() {
  const { t } = useTranslation();
  const hydrated = useHydrated();
  const { form, notice, edited, submitting, submit, noteEdit } = useRegistrationState();
  const { register, formState } = form;
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

  const errorOf = (field: FieldName) => {
    const code: unknown = formState.errors[field]?.type;
    return isErrorCode(code) ? t(`registration.error.${code}`) : undefined;
  };

  return (
    // It posts, so that no field can end up in an address, whatever submits it.
    <form
      ref={element}
      className="registration"
      method="post"
      noValidate
      onChange={noteEdit}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <p className="registration-hint">
        {t("registration.requiredBefore")}
        {/* Said, too: the sentence makes no sense without it. */}
        <span className="asterisk">*</span>
        {t("registration.requiredAfter")}
      </p>
      <InterestChoices error={errorOf("interests")} registration={register("interests")} />
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
        error={errorOf("mobile")}
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
      <PrivacyConsent
        error={errorOf("privacyAccepted")}
        registration={register("privacyAccepted")}
      />
      <div className="registration-send">
        <button type="submit" className="button button-large" disabled={!hydrated || submitting}>
          {submitting ? t("registration.submitting") : t("registration.submit")}
        </button>
        <RegistrationNote notice={edited ? null : notice} />
      </div>
      {!hydrated && <p className="registration-waiting">{t("registration.waiting")}</p>}
    </form>
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
