import { useRef, useState } from "react";
import { type FieldErrors as FormErrors, type Resolver, useForm } from "react-hook-form";
import { useLanguage } from "#i18n/use-language.ts";
import { type DraftStore, useDraft } from "./draft.ts";
import {
  emptyRegistration,
  type FieldErrors,
  type FieldName,
  fieldNames,
  payloadOf,
  type Registration,
  type RegistrationInput,
  validateRegistration,
} from "./registration.ts";
import type { SubmitRegistration } from "./submit-registration.ts";

/** What the form needs from outside: where leads go, the names they go by, and where they wait. */
export interface RegistrationServices {
  submit: SubmitRegistration;
  /** A new key for a lead that was never sent. */
  newIdempotencyKey(): string;
  drafts: DraftStore;
}

/** What the visitor was last told; `serial` tells two tellings apart. */
export type Notice = { serial: number } & (
  | { kind: "accepted"; reference: string | null }
  | { kind: "invalid"; firstField: FieldName }
  | { kind: "failed" }
);

type NewNotice = Notice extends infer N ? (N extends Notice ? Omit<N, "serial"> : never) : never;

/** The states and transitions of the form: idle, submitting, idle again with a notice. */
export function useRegistration(services: RegistrationServices) {
  const language = useLanguage();
  const [notice, setNotice] = useState<Notice | null>(null);
  const [edited, setEdited] = useState(false);
  const [submitting, setSubmitting] = useState(false);
  const serial = useRef(0);
  const busy = useRef(false);
  const form = useForm<RegistrationInput, unknown, Registration>({
    // What was typed, or restored by the browser, before the page was hydrated wins over these.
    defaultValues: emptyRegistration,
    resolver,
    shouldFocusError: false,
  });
  const draft = useDraft(form, services);
  /** What a lead is made of, as it stands in the form. */
  const entered = () => JSON.stringify(payloadOf(form.getValues()));

  function tell(news: NewNotice): void {
    serial.current += 1;
    setNotice({ ...news, serial: serial.current });
    setEdited(false);
  }

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
        tell({ kind: "failed" });
        return;
    }
  }

  async function submit(): Promise<void> {
    // State arrives with the next render; a double click comes sooner.
    if (busy.current) {
      return;
    }
    busy.current = true;
    setNotice(null);
    try {
      await form.handleSubmit(async (registration) => {
        setSubmitting(true);
        await send(registration);
      }, tellInvalid)();
    } catch (error) {
      console.error("registration not sent", error instanceof Error ? error.name : "unknown error");
      tell({ kind: "failed" });
    } finally {
      busy.current = false;
      setSubmitting(false);
    }
  }

  function noteEdit(): void {
    setEdited(true);
    draft.keep();
  }

  return { form, notice, edited, submitting, submit, noteEdit };
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
