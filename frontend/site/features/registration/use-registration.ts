import { useRef } from "react";
import { useForm } from "react-hook-form";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { checkRegistration } from "./check-registration.ts";
import { createKeptForm, readFields, useDraft } from "./draft.ts";
import {
  emptyRegistration,
  type FieldErrors,
  type FieldName,
  payloadOf,
  type Registration,
  visitTimesOf,
} from "./registration.ts";
import { type Status, useRegistrationState } from "./registration-provider.tsx";

export function useRegistration() {
  const language = useLanguage();
  const state = useRegistrationState();
  const { services, status, setStatus, thanks, setThanks, form: ref } = state;
  /** A ref, because a double click comes before the next render. */
  const busy = useRef(false);
  ref.current ??= createKeptForm();
  const form = useForm({
    formControl: ref.current.control,
    resolver: checkRegistration,
    shouldFocusError: false,
  });
  const draft = useDraft(ref.current, services.storage, state.setRestored);

  function showErrors(errors: FieldErrors): void {
    for (const [field, message] of Object.entries(errors)) {
      form.setError(field as FieldName, { message });
    }
    setStatus({ kind: "invalid" });
  }

  async function send(registration: Registration, previousStatus: Status): Promise<void> {
    setThanks(null);
    setStatus({
      kind: "sending",
      after: previousStatus.kind === "failed" ? previousStatus.reason : null,
    });
    const before = JSON.stringify(form.getValues());
    const lead = draft.pendingLead(registration, language);
    const outcome = await services.submit({
      payload: payloadOf(registration),
      channels: registration.channels,
      plan: registration.plan,
      visitTimes: visitTimesOf(registration),
      homes: registration.homes,
      idempotencyKey: lead.key,
      language: lead.language,
    });
    if (outcome.kind === "invalid") {
      showErrors(outcome.errors);
    } else if (outcome.kind === "failed") {
      const { status, code, tries } = outcome;
      console.error("registration not sent", status, code, `after ${tries} tries`);
      setStatus({ kind: "failed", reason: reasonOf(status) });
    } else {
      draft.remove();
      if (JSON.stringify(form.getValues()) === before) {
        form.reset(emptyRegistration);
      } else {
        // Changes made during the submission are not in this lead, so the form keeps them.
        draft.save();
      }
      setThanks({
        reference: outcome.reference,
        plan: registration.plan,
        consent: outcome.consent,
      });
      setStatus({ kind: "accepted" });
    }
  }

  async function submit(element: HTMLFormElement): Promise<void> {
    if (busy.current || status.kind === "sending") {
      return;
    }
    busy.current = true;
    if (status.kind !== "failed") {
      setStatus({ kind: "idle" });
    }
    try {
      for (const [field, value] of Object.entries(readFields(element))) {
        form.setValue(field as FieldName, value as never);
      }
      let isValid = false;
      await form.handleSubmit((registration) => {
        isValid = true;
        return send(registration, status);
      })();
      // After the render that adds the errors, so the first invalid field can get the focus.
      if (!isValid) {
        setStatus({ kind: "invalid" });
      }
    } catch (error) {
      console.error("registration not sent", error instanceof Error ? error.name : "unknown error");
      setStatus({ kind: "failed", reason: "other" });
    } finally {
      busy.current = false;
    }
  }

  function startAgain(): void {
    draft.remove();
    form.reset(emptyRegistration);
  }

  return {
    form,
    status,
    thanks,
    submit,
    saveDraft: draft.save,
    isRestored: state.isRestored,
    startAgain,
  };
}

function reasonOf(status: number | null) {
  if (status === null && !navigator.onLine) {
    return "offline";
  }
  return status === 429 ? "busy" : "other";
}
