import { useEffect, useState } from "react";
import { createFormControl } from "react-hook-form";
import { v4 as uuid } from "uuid";
import type { KeyValueStore } from "#shared/api/key-value-store.ts";
import type { Language } from "#shared/i18n/language.ts";
import { anchors } from "#site/routes.ts";
import {
  emptyRegistration,
  fieldNames,
  homeIds,
  interestIds,
  type Registration,
  type RegistrationInput,
  reachIds,
  textFields,
} from "./registration.ts";
import { DRAFT_KEY, type Draft, isEmpty, readDraft, toJson } from "./stored-draft.ts";

/** The state of the form, which the provider keeps between pages, because a response may arrive on another one. */
export function createKeptForm() {
  const { formControl: control } = createFormControl<RegistrationInput, unknown, Registration>({
    defaultValues: emptyRegistration,
  });
  return {
    control,
    /** The last lead that is not known to be accepted. */
    pending: null as Draft["sent"],
  };
}

export type KeptForm = ReturnType<typeof createKeptForm>;

/** Saves the typed values and their idempotency key until the lead is accepted or the tab is closed. */
export function useDraft(
  kept: KeptForm,
  storage: KeyValueStore,
  setRestored: (isRestored: boolean) => void,
) {
  const { getValues, setValue } = kept.control;
  // Values typed into the prerendered form, which React discards if hydration fails.
  const [valuesBeforeHydration] = useState((): Partial<RegistrationInput> => {
    // There is no document while prerendering.
    const form = globalThis.document?.querySelector<HTMLFormElement>(`form#${anchors.form}`);
    return form ? { ...readFields(form), ...(isReopened() && unconfirmed) } : {};
  });

  useEffect(() => {
    const draft = readDraft(storage);
    if (draft === null) {
      storage.removeItem(DRAFT_KEY);
    }
    kept.pending ??= draft?.sent ?? null;
    // Values typed before hydration are newer than the draft.
    const known: Partial<RegistrationInput>[] = [valuesBeforeHydration, draft ?? {}];
    // The browser may have restored what only the visitor gives.
    if (valuesBeforeHydration.privacyAccepted === false && isReopened()) {
      setValue("antiSpam", antiSpam);
      setValue("privacyAccepted", privacyAccepted);
      setValue("channels", channels);
    }
    for (const name of fieldNames) {
      const value = known.map((values) => values[name]).find((each) => !isEmpty(each));
      if (value !== undefined && isEmpty(getValues(name))) {
        setValue(name, value);
        setRestored(draft !== null);
      }
    }
  }, [storage, valuesBeforeHydration, kept, getValues, setValue, setRestored]);

  function save(): void {
    const { antiSpam: _, privacyAccepted: __, channels: ___, ...values } = getValues();
    const draft = { ...values, sent: kept.pending, time: Date.now() };
    storage.setItem(DRAFT_KEY, JSON.stringify(draft));
  }

  function remove(): void {
    kept.pending = null;
    storage.removeItem(DRAFT_KEY);
    setRestored(false);
  }

  /**
   * The same key and language for the same values until they are accepted: one intent is one lead, also if the visitor
   * switches the language after a lost response.
   */
  function pendingLead(
    { antiSpam: _, privacyAccepted: __, ...rest }: Registration,
    language: Language,
  ) {
    const values = toJson(rest);
    if (kept.pending?.values !== values) {
      kept.pending = { values, key: uuid(), language };
      save();
    }
    return kept.pending;
  }

  return { save, remove, pendingLead };
}

/** What only the visitor gives, for each lead: the consents and the sum. */
const { antiSpam, privacyAccepted, channels } = emptyRegistration;
const unconfirmed = { antiSpam, privacyAccepted, channels };

/** Whether a browser that restores forms may have filled in this one, as after a reload. */
function isReopened(): boolean {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return entry !== undefined && entry.type !== "navigate";
}

/** The typed texts by field. */
function textsOf<Name extends string>(names: Name[], data: FormData) {
  const entries = names.map((name) => [name, String(data.get(name) ?? "")]);
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** The values of the form's elements, which a script may set without an event. */
export function readFields(form: HTMLFormElement): Omit<RegistrationInput, "plan" | "times"> {
  const data = new FormData(form);
  const interests = data.getAll("interests");
  const channels = data.getAll("channels");
  const homes = data.getAll("homes");
  return {
    interests: interestIds.filter((id) => interests.includes(id)),
    ...textsOf([...textFields, "antiSpam"], data),
    privacyAccepted: data.has("privacyAccepted"),
    channels: reachIds.filter((id) => channels.includes(id)),
    homes: homeIds.filter((id) => homes.includes(id)),
  };
}
