import { useRef, useState } from "react";
import {
  createFormControl,
  type FieldErrors as FormErrors,
  type Resolver,
  useForm,
} from "react-hook-form";
import { useLanguage } from "#i18n/use-language.ts";
import { useDraft } from "./draft.ts";
import {
  emptyRegistration,
  type FieldErrors,
  fieldNames,
  payloadOf,
  type Registration,
  type RegistrationInput,
  validateRegistration,
} from "./registration.ts";
import {
  type Failure,
  type RegistrationServices,
  useRegistrationState,
} from "./registration-provider.tsx";
import type { Outcome } from "./submit-registration.ts";

/** The states and transitions of the form: idle, submitting, idle again with a notice. */
export function useRegistration(services: RegistrationServices) {
  const { notice, tell, submitting, setSubmitting, busy, control } = useRegistrationState();
  const language = useLanguage();
  /** The notice that was shown when the visitor last changed something. */
  const [editedAfter, setEditedAfter] = useState<number | null>(null);
  const sendingLater = useRef(new AbortController());
  control.current ??= createFormControl<RegistrationInput, unknown, Registration>({
    // What was typed, or restored by the browser, before the page was hydrated wins over these.
    defaultValues: emptyRegistration,
  }).formControl;
  const form = useForm({ formControl: control.current, resolver, shouldFocusError: false });
  const draft = useDraft(form, services);
  /** What a lead is made of, as it stands in the form. */
  const entered = () => JSON.stringify(payloadOf(form.getValues()));

  function tellInvalid(fields: FieldErrors | Record<string, unknown>): void {
    const firstField = fieldNames.find((field) => field in fields);
    if (firstField !== undefined) {
      tell({ kind: "invalid", firstField });
    }
  }

  async function send(registration: Registration): Promise<void> {
    const payload = payloadOf(registration);
    const sent = entered();
    const idempotencyKey = draft.keyFor(payload);
    const outcome = await services.submit({ payload, idempotencyKey, language });
    switch (outcome.kind) {
      case "accepted":
        draft.drop();
        if (entered() === sent) {
          form.reset(emptyRegistration);
        } else {
          // What was changed meanwhile is not in this lead: it stays, for another.
          draft.keep();
        }
        tell({ kind: "accepted", reference: outcome.reference });
        return;
      case "invalid":
        for (const field of fieldNames) {
          const code = outcome.errors[field]?.[0];
          if (code !== undefined) {
            form.setError(field, { type: code });
          }
        }
        tellInvalid(outcome.errors);
        return;
      case "failed":
        console.error(
          "registration not sent",
          outcome.status,
          outcome.code,
          `after ${outcome.tries} tries`,
        );
        tell({ kind: "failed", failure: failureOf(outcome) });
        return;
    }
  }

  async function submit(): Promise<void> {
    if (busy.current) {
      return;
    }
    busy.current = true;
    sendingLater.current.abort();
    tell(null);
    try {
      await form.handleSubmit(async (registration) => {
        setSubmitting(true);
        await send(registration);
      }, tellInvalid)();
    } catch (error) {
      console.error("registration not sent", error instanceof Error ? error.name : "unknown error");
      tell({ kind: "failed", failure: "other" });
    } finally {
      busy.current = false;
      setSubmitting(false);
    }
  }

  function noteEdit(): void {
    setEditedAfter(notice?.serial ?? null);
    draft.keep();
  }

  /** Sends what is in the form as soon as there is a network again. */
  function submitWhenOnline(): void {
    sendingLater.current = new AbortController();
    window.addEventListener("online", () => void submit(), {
      once: true,
      signal: sendingLater.current.signal,
    });
  }

  const edited = notice !== null && editedAfter === notice.serial;
  return { form, notice, edited, submitting, submit, submitWhenOnline, noteEdit };
}

function failureOf({ status }: Extract<Outcome, { kind: "failed" }>): Failure {
  if (status === 429) {
    return "busy";
  }
  return status === null && !navigator.onLine ? "offline" : "other";
}

/** The rules as react-hook-form asks for them; the type of an error is its code. */
const resolver: Resolver<RegistrationInput, unknown, Registration> = (values) => {
  const result = validateRegistration(values);
  return result.ok
    ? { values: result.registration, errors: {} }
    : { values: {}, errors: formErrors(result.errors) };
};

function formErrors(errors: FieldErrors): FormErrors<RegistrationInput> {
  const entries = fieldNames.flatMap((field) => {
    const code = errors[field]?.[0];
    return code === undefined ? [] : [[field, { type: code }]];
  });
  return Object.fromEntries(entries);
}
