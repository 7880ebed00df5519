import { useEffect, useRef } from "react";
import type { UseFormReturn } from "react-hook-form";
import * as v from "valibot";
import { type KeyValueStore, readStored, safeStorage } from "#api/key-value-store.ts";
import {
  interestIds,
  type Payload,
  type Registration,
  type RegistrationInput,
  textFields,
} from "./registration.ts";

const text = v.fallback(v.string(), "");

/** What cannot be read counts as not there, field by field. */
const draftSchema = v.object({
  /** When it was written, in milliseconds since 1970. */
  time: v.number(),
  interests: v.fallback(v.array(v.picklist(interestIds)), []),
  ...v.entriesFromList(textFields, text),
  sent: v.fallback(
    v.nullable(v.object({ body: v.string(), key: v.pipe(v.string(), v.uuid()) })),
    null,
  ),
});

/** A registration on its way: consent and sum are never part of it. */
export interface Draft extends Payload {
  /** The lead that was sent last and not known to be accepted: sent again, it must go by the same key. */
  sent: SentLead | null;
}

interface SentLead {
  body: string;
  key: string;
}

const draftFields = ["interests", ...textFields] as const;

export interface DraftStore {
  read(): Draft | null;
  write(draft: Draft): void;
  remove(): void;
}

const KEY = "zyon-grand.draft";

/** Browsers bring a closed tab back with its storage, perhaps to somebody else: a draft is kept for a day at most. */
const LIFETIME = 24 * 60 * 60 * 1000;

export function draftStore(store: KeyValueStore, now: () => number): DraftStore {
  return {
    read: () => {
      const stored = readStored(store, KEY, draftSchema);
      if (stored === null) {
        return null;
      }
      const { time, ...draft } = stored;
      const age = now() - time;
      if (age < 0 || age > LIFETIME) {
        store.removeItem(KEY);
        return null;
      }
      return draft;
    },
    write: (draft) => store.setItem(KEY, JSON.stringify({ ...draft, time: now() })),
    remove: () => store.removeItem(KEY),
  };
}

/** Drafts of this tab: they end with it. */
export function browserDrafts(): DraftStore {
  return draftStore(
    safeStorage(() => window.sessionStorage),
    Date.now,
  );
}

/** Keeps what was typed, and the key it was sent by, until the lead is accepted or the tab is closed. */
export function useDraft(
  form: UseFormReturn<RegistrationInput, unknown, Registration>,
  { drafts, newIdempotencyKey }: { drafts: DraftStore; newIdempotencyKey(): string },
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
    const { antiSpam: _, privacyAccepted: __, ...typed } = getValues();
    drafts.write({ ...typed, sent: sent.current });
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
