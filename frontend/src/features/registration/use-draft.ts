import { useEffect, useRef } from "react";
import type { UseFormReturn } from "react-hook-form";
import { draftFields, type SentLead } from "./draft.ts";
import type { Payload } from "./payload.ts";
import type { Registration, RegistrationInput } from "./registration.ts";
import type { RegistrationServices } from "./registration-services.ts";

/** Keeps what was typed, and the key it was sent by, until the lead is accepted or the tab is closed. */
export function useDraft(
  form: UseFormReturn<RegistrationInput, unknown, Registration>,
  { drafts, newIdempotencyKey }: RegistrationServices,
) {
  const { getValues, setValue } = form;
  const sent = useRef<SentLead | null>(null);

  useEffect(() => {
    const draft = drafts.read();
    if (draft === null) {
      return;
    }
    sent.current = draft.sent;
    for (const field of draftFields) {
      // What was typed before the page was hydrated is newer.
      if (getValues(field).length === 0) {
        setValue(field, draft[field]);
      }
    }
  }, [drafts, getValues, setValue]);

  function keep(): void {
    const { interests, name, mobile, email, questions } = getValues();
    drafts.write({ interests, name, mobile, email, questions, sent: sent.current });
  }

  function drop(): void {
    sent.current = null;
    drafts.remove();
  }

  /** The same key for the same payload until it was accepted: one intent, one lead. */
  function keyFor(payload: Payload): string {
    const body = JSON.stringify(payload);
    if (sent.current?.body !== body) {
      sent.current = { body, key: newIdempotencyKey() };
      keep();
    }
    return sent.current.key;
  }

  return { keep, drop, keyFor };
}
