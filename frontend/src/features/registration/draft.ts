import { useEffect, useRef, useState } from "react";
import * as v from "valibot";
import { type KeyValueStore, readStored, safeStorage } from "#api/key-value-store.ts";
import { readPrerenderedForm } from "./form-fields.ts";
import {
  fieldNames,
  interestIds,
  planIds,
  type Registration,
  type RegistrationControl,
  type RegistrationInput,
  textFields,
  visitTimes,
} from "./registration.ts";

/** What is typed, without consent and sum, and the last lead that is not known to be accepted. */
const draftSchema = v.object({
  /** Milliseconds since 1970. */
  time: v.number(),
  // A field that cannot be read is left out.
  interests: v.fallback(v.array(v.picklist(interestIds)), []),
  ...v.entriesFromList(textFields, v.fallback(v.string(), "")),
  plan: v.fallback(v.nullable(v.picklist(planIds)), null),
  times: v.fallback(v.array(v.picklist(visitTimes)), []),
  sent: v.fallback(v.nullable(v.object({ values: v.string(), key: v.string() })), null),
});

export type Draft = Omit<v.InferOutput<typeof draftSchema>, "time">;

export interface DraftStore {
  read(): Draft | null;
  write(draft: Draft): void;
  remove(): void;
}

const KEY = "zyon-grand.draft";

/** Browsers restore a closed tab with its storage, perhaps for another person. */
const LIFETIME = 24 * 60 * 60 * 1000;

export function draftStore(store: KeyValueStore, now: () => number): DraftStore {
  return {
    read: () => {
      const draft = readStored(store, KEY, draftSchema);
      const age = now() - (draft?.time ?? 0);
      if (age >= 0 && age <= LIFETIME) {
        return draft;
      }
      store.removeItem(KEY);
      return null;
    },
    write: (draft) => store.setItem(KEY, JSON.stringify({ ...draft, time: now() })),
    remove: () => store.removeItem(KEY),
  };
}

export function browserDrafts(): DraftStore {
  return draftStore(
    safeStorage(() => window.sessionStorage),
    Date.now,
  );
}

const isEmpty = (value: unknown) => !value || (value as { length?: number }).length === 0;

/** Saves what is typed, and the key it was sent with, until the lead is accepted or the tab is closed. */
export function useDraft(
  { getValues, setValue }: RegistrationControl,
  { drafts, newIdempotencyKey }: { drafts: DraftStore; newIdempotencyKey(): string },
) {
  const sent = useRef<Draft["sent"]>(null);
  const [typed] = useState(readPrerenderedForm);

  useEffect(() => {
    const draft = drafts.read();
    sent.current = draft?.sent ?? null;
    // What was typed before hydration is newer than the draft.
    const known: Partial<RegistrationInput>[] = [typed ?? {}, draft ?? {}];
    for (const name of fieldNames) {
      const value = known.map((values) => values[name]).find((each) => !isEmpty(each));
      if (value !== undefined && isEmpty(getValues(name))) {
        setValue(name, value);
      }
    }
  }, [drafts, typed, getValues, setValue]);

  function save(): void {
    const { antiSpam: _, privacyAccepted: __, ...values } = getValues();
    drafts.write({ ...values, sent: sent.current });
  }

  function remove(): void {
    sent.current = null;
    drafts.remove();
  }

  /** The same key for the same values until they are accepted: one intent is one lead. */
  function keyFor({ antiSpam: _, privacyAccepted: __, ...rest }: Registration): string {
    const values = JSON.stringify(rest);
    if (sent.current?.values !== values) {
      sent.current = { values, key: newIdempotencyKey() };
      save();
    }
    return sent.current.key;
  }

  return { save, remove, keyFor };
}
