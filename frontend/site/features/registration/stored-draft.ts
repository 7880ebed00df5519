import * as v from "valibot";
import { type KeyValueStore, readStored } from "#shared/api/key-value-store.ts";
import { languages } from "#shared/i18n/language.ts";
import { homeIds, interestIds, planIds, textFields, visitTimes } from "./registration.ts";

export const DRAFT_KEY = "zyon-grand.draft";

/** Milliseconds until a draft expires, because browsers restore a closed tab, perhaps for another person. */
const LIFETIME = 24 * 60 * 60 * 1000;

export const isEmpty = (value: unknown) => !value || (value as { length?: number }).length === 0;

/** JSON without empty fields, so that a form is equal before and after a deployment that adds a field. */
export function toJson(values: unknown): string {
  return JSON.stringify(values, (_, value) => (isEmpty(value) ? undefined : value));
}

/** The typed values without consents and sum, and the last lead that is not known to be accepted. */
const draftSchema = v.object({
  /** Milliseconds since 1970. */
  time: v.pipe(
    v.number(),
    v.check((time) => time <= Date.now() && Date.now() <= time + LIFETIME),
  ),
  // Omits an invalid field.
  interests: v.fallback(v.array(v.picklist(interestIds)), []),
  ...v.entriesFromList(textFields, v.fallback(v.string(), "")),
  plan: v.fallback(v.nullable(v.picklist(planIds)), null),
  times: v.fallback(v.array(v.picklist(visitTimes)), []),
  homes: v.fallback(v.array(v.picklist(homeIds)), []),
  sent: v.fallback(
    v.nullable(
      v.object({
        /** The registration by {@link toJson}. */
        values: v.pipe(v.string(), v.parseJson(), v.transform(toJson)),
        key: v.string(),
        language: v.picklist(languages),
      }),
    ),
    null,
  ),
});

/** The stored draft, or `null` without one that is valid. */
export function readDraft(storage: KeyValueStore) {
  return readStored(storage, DRAFT_KEY, draftSchema);
}

export type Draft = v.InferOutput<typeof draftSchema>;
