import type { KeyValueStore } from "#api/key-value-store.ts";
import { fieldsOf } from "#api/post-json.ts";
import type { Attribution } from "./attribution.ts";

/** An anonymous session as the browser keeps it. Times are milliseconds since 1970. */
export interface SessionRecord {
  accessToken: string;
  refreshToken: string;
  issuedAt: number;
  expiresAt: number;
  /** Of the first visit: it outlives the tokens, so that a new session tells the same story. */
  attribution: Attribution;
}

const KEY = "zyon-grand.session";

export function readRecord(store: KeyValueStore): SessionRecord | null {
  const text = store.getItem(KEY);
  if (text === null) {
    return null;
  }
  try {
    const { accessToken, refreshToken, issuedAt, expiresAt, attribution } = fieldsOf(
      JSON.parse(text),
    );
    const whole =
      typeof accessToken === "string" &&
      typeof refreshToken === "string" &&
      typeof issuedAt === "number" &&
      typeof expiresAt === "number";
    return whole
      ? { accessToken, refreshToken, issuedAt, expiresAt, attribution: fieldsOf(attribution) }
      : null;
  } catch {
    return null;
  }
}

export function writeRecord(store: KeyValueStore, record: SessionRecord): void {
  store.setItem(KEY, JSON.stringify(record));
}

/** The API's answer to a new or renewed session; `null` when it is none. */
export function recordFrom(
  body: unknown,
  now: number,
  attribution: Attribution,
): SessionRecord | null {
  const { access_token, refresh_token, expires_in } = fieldsOf(body);
  if (
    typeof access_token !== "string" ||
    typeof refresh_token !== "string" ||
    typeof expires_in !== "number"
  ) {
    return null;
  }
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    issuedAt: now,
    expiresAt: now + expires_in * 1000,
    attribution,
  };
}

/** Whether the token can be used for at least `margin` more; a clock set back makes it unsure, so no. */
export function isFresh(record: SessionRecord, now: number, margin: number): boolean {
  return now >= record.issuedAt && record.expiresAt - now > margin;
}
