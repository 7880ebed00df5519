import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Asterisk, Checkbox, Field, FieldError } from "#shared/ui/field.tsx";
import { privacyPolicyVersion } from "#site/content/project.ts";
import { anchors } from "#site/routes.ts";
import { AskedPlan, useAsked } from "./asked-plan.tsx";
import { HomeChoices, InterestChoices, ReachChoices, VisitTimes } from "./choices.tsx";
import { ContactDesk, ContactWords } from "./contact-section.tsx";
import {
  emptyRegistration,
  type FieldName,
  inputLimits,
  isErrorCode,
  isRequired,
  planSentence,
  type ReachId,
  type RegistrationInput,
} from "./registration.ts";
import "./registration-form.css";
import { RegistrationNote } from "./registration-note.tsx";
import { useRegistration } from "./use-registration.ts";

export function RegistrationForm() {
  const { t } = useTranslation();
  const language = useLanguage();
  const { form, status, thanks, submit, saveDraft, isRestored, startAgain } = useRegistration();
  const { register, formState, getValues, setValue, setFocus } = form;
  const [interests, plan, mobile] = form.watch(["interests", "plan", "mobile"]);
  /** The thanks below which the visitor opened the form again. */
  const [opened, setOpened] = useState<typeof thanks>(null);
  // Changes made during a submission, and a plan to ask about, are shown.
  const isFolded = thanks !== null && thanks !== opened && isEmpty(getValues());
  const [wasPasteTruncated, setPasteTruncated] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const note = useRef<HTMLDivElement>(null);
  const [statusOnMount] = useState(status);
  const pressed = useRef<Element>(null);

  useEffect(() => {
    // A message that is older than this view of the form does not scroll.
    if (status === statusOnMount) {
      return;
    }
    if (status.kind === "invalid" && element.current !== null) {
      showFirstError(element.current);
    }
    // A disabled button loses the focus. Focus on another element stays.
    const isOver = status.kind === "accepted" || status.kind === "failed";
    if (isOver && [document.body, pressed.current].includes(document.activeElement)) {
      note.current?.focus({ preventScroll: true });
      note.current?.scrollIntoView({ behavior: "instant" });
    }
  }, [status, statusOnMount]);

  useAsked((asked) => {
    setValue("plan", asked.plan ?? plan);
    if (asked.other !== null && getValues("questions") === "") {
      setValue("questions", planSentence(asked.other, t));
    }
    setValue("interests", [...new Set([...getValues("interests"), ...asked.interests])]);
    saveDraft();
  });

  function openAgain(): void {
    flushSync(() => setOpened(thanks));
    setFocus("interests");
  }

  function removePlan(): void {
    setValue("plan", null);
    saveDraft();
    setFocus("questions");
  }

  /** "Email only" and the channels exclude each other. */
  function excludeOthers(pressed: ReachId): void {
    const chosen = getValues("channels");
    setValue(
      "channels",
      chosen.filter((id) => (id === "email") === (pressed === "email")),
    );
  }

  const errorOf = (field: FieldName) => {
    const code = formState.errors[field]?.message;
    return isErrorCode(code) ? t(`registration.error.${code}`) : undefined;
  };
  const fieldProps = (name: keyof typeof inputLimits) => ({
    id: name,
    label: t(`registration.${name}`),
    ...(!isRequired(name) && { optional: t("registration.optional") }),
    error: errorOf(name),
    maxLength: inputLimits[name],
    ...register(name),
  });
  const isSending = status.kind === "sending";

  return (
    <section id={anchors.contact} aria-labelledby="contact-heading">
      {/* Without JavaScript the form posts, and the response is a page. */}
      <form
        ref={element}
        id={anchors.form}
        className="contact section page-grid"
        method="post"
        action={`/functions/v1/posted-form?lang=${language}`}
        noValidate
        aria-labelledby="contact-heading"
        onChange={saveDraft}
        onSubmit={(event) => {
          event.preventDefault();
          pressed.current = document.activeElement;
          void submit(event.currentTarget);
        }}
      >
        <ContactWords />
        <div className="contact-form">
          <RegistrationNote ref={note} status={status} thanks={thanks} plan={plan} />
          {isFolded && (
            <button type="button" className="text-button" onClick={openAgain}>
              {t("registration.accepted.another")}
            </button>
          )}
          {isRestored && thanks === null && (
            <p className="draft-note spread" role="status">
              {t("registration.kept")}
              <button type="button" className="text-button" onClick={startAgain}>
                {t("registration.startAgain")}
              </button>
            </p>
          )}
          {/* A new element for each plan, because a browser's translator may have replaced its text nodes. */}
          {plan !== null && <AskedPlan key={plan} plan={plan} onRemove={removePlan} />}
          {!isFolded && (
            <div className="registration pair">
              <InterestChoices error={errorOf("interests")} registration={register("interests")} />
              {/* A plan answers the question. */}
              {plan === null && <HomeChoices registration={register("homes")} />}
              {interests.includes("showflat") ? (
                <VisitTimes registration={register("times")} />
              ) : (
                // Without JavaScript nothing shows the times after the choice.
                <noscript>
                  <VisitTimes registration={register("times")} />
                </noscript>
              )}
              <Field
                {...fieldProps("name")}
                width="half"
                autoComplete="name"
                autoCapitalize="words"
                enterKeyHint="next"
              />
              <Field
                {...fieldProps("mobile")}
                error={
                  errorOf("mobile") ??
                  (wasPasteTruncated && mobile.length >= inputLimits.mobile
                    ? t("registration.mobileCut", { limit: inputLimits.mobile })
                    : undefined)
                }
                // A browser truncates pasted text at the limit without a message.
                onPaste={({ clipboardData, currentTarget }) => {
                  const { value, selectionStart, selectionEnd } = currentTarget;
                  const replaced = (selectionEnd ?? 0) - (selectionStart ?? 0);
                  const pasted = clipboardData.getData("text");
                  setPasteTruncated(value.length - replaced + pasted.length > inputLimits.mobile);
                }}
                hint={t("registration.mobileHint")}
                width="half"
                type="tel"
                autoComplete="tel"
                enterKeyHint="next"
              />
              <ReachChoices registration={register("channels")} onPress={excludeOthers} />
              <Field
                {...fieldProps("email")}
                type="email"
                inputMode="email"
                autoComplete="email"
                autoCapitalize="none"
                enterKeyHint="next"
              />
              <Field {...fieldProps("questions")} rows={3} autoCapitalize="sentences" />
              <Field
                {...fieldProps("antiSpam")}
                width="short"
                inputMode="numeric"
                enterKeyHint="send"
              />
              <WithoutScript />
              <div className="consent">
                <Checkbox
                  id="privacyAccepted"
                  field="privacyAccepted"
                  error={errorOf("privacyAccepted")}
                  aria-required="true"
                  {...register("privacyAccepted")}
                >
                  {t("registration.privacyBefore")}
                  <a href="#privacy-policy">{t("registration.privacyLink")}</a> <Asterisk />
                </Checkbox>
                <FieldError id="privacyAccepted">{errorOf("privacyAccepted")}</FieldError>
              </div>
              <div>
                <button
                  type="submit"
                  className="button button-large"
                  disabled={isSending}
                  data-replay
                >
                  {isSending ? t("registration.submitting") : t("registration.submit")}
                </button>
                <p className="registration-use small quiet">{t("registration.use")}</p>
              </div>
            </div>
          )}
        </div>
        <ContactDesk />
      </form>
    </section>
  );
}

function isEmpty(values: RegistrationInput): boolean {
  return JSON.stringify(values) === JSON.stringify(emptyRegistration);
}

/** Fields of the no-JavaScript form. With JavaScript, headers and other checks replace them. */
function WithoutScript() {
  return (
    <>
      <input type="hidden" name="privacyPolicyVersion" value={privacyPolicyVersion} />
      {/* Invisible, so only a bot fills it in. */}
      <div className="visually-hidden" aria-hidden="true">
        <input type="text" name="website" tabIndex={-1} autoComplete="off" />
      </div>
      <noscript>
        {/* Starts the session. */}
        <img src="/functions/v1/form-session" width={1} height={1} alt="" />
      </noscript>
    </>
  );
}

/** Scrolls to the label, which the bar must not cover, and focuses the field. */
function showFirstError(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLElement>('[aria-invalid="true"]');
  const label =
    input?.closest("fieldset")?.querySelector("legend") ??
    form.querySelector(`label[for="${input?.id}"]`);
  label?.scrollIntoView();
  input?.focus({ preventScroll: true });
}
