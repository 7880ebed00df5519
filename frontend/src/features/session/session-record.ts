import * as v from "valibot";
import { type KeyValueStore, readStored } from "#api/key-value-store.ts";
import { fieldsOf } from "#api/post-json.ts";
import type { Attribution } from "./attribution.ts";

const recordSchema = v.object({
  accessToken: v.string(),
  refreshToken: v.string(),
  /** Times are milliseconds since 1970. */
  issuedAt: v.number(),
  expiresAt: v.number(),
  /** Of the first visit: it outlives the tokens, so that a new session tells the same story. */
  attribution: v.fallback(
    v.custom<Attribution>((given) => fieldsOf(given) === given),
    {},
  ),
});

/** An anonymous session as the browser keeps it. */
export type SessionRecord = v.InferOutput<typeof recordSchema>;

const KEY = "zyon-grand.session";

export function readRecord(store: KeyValueStore): SessionRecord | null {
  return readStored(store, KEY, recordSchema);
}

export function writeRecord(store: KeyValueStore, record: SessionRecord): void {
  store.setItem(KEY, JSON.stringify(record));
}

const answerSchema = v.object({
  access_token: v.string(),
  refresh_token: v.string(),
  expires_in: v.number(),
});

/** The API's answer to a new or renewed session; `null` when it is none. */
export function recordFrom(
  body: unknown,
  now: number,
  attribution: Attribution,
): SessionRecord | null {
  const { success, output } = v.safeParse(answerSchema, body);
  return success
    ? {
        accessToken: output.access_token,
        refreshToken: output.refresh_token,
        issuedAt: now,
        expiresAt: now + output.expires_in * 1000,
        attribution,
      }
    : null;
}

/** Whether the token can be used for at least `margin` more; a clock set back makes it unsure, so no. */
export function isFresh(record: SessionRecord, now: number, margin: number): boolean {
  return now >= record.issuedAt && record.expiresAt - now > margin;
}
