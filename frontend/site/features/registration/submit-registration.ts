import { v4 as uuid } from "uuid";
import * as v from "valibot";
import { postJson, type Reply, unreachable } from "#shared/api/post-json.ts";
import type { Language } from "#shared/i18n/language.ts";
import { privacyPolicyVersion } from "#site/content/project.ts";
import { settings } from "#site/settings.ts";
import {
  type FieldErrors,
  fieldNames,
  isErrorCode,
  type Payload,
  type Registration,
} from "./registration.ts";

export interface Submission {
  payload: Payload;
  /** Channels that the visitor agrees to. */
  channels: Registration["channels"];
  plan: Registration["plan"];
  visitTimes: Registration["times"];
  homes: Registration["homes"];
  idempotencyKey: string;
  language: Language;
}

/** Leads a visitor who chose neither calls nor messages to a page on which they can agree. */
export interface ConsentOffer {
  question: string;
  address: string;
}

export type Outcome =
  | { kind: "accepted"; reference: string | null; consent: ConsentOffer | null }
  | { kind: "invalid"; errors: FieldErrors }
  | { kind: "failed"; status: number | null; code: string | null; tries: number };

export type SubmitRegistration = (submission: Submission) => Promise<Outcome>;

const TOTAL_TIME = 12_000;
/** The API always responds within 5 s. */
const LONGEST_TRY = 5_500;
const MAX_TRIES = 3;
const RETRYABLE = [null, 429, 502, 503, 504];

const text = v.fallback(v.nullable(v.string()), null);
const offerSchema = v.fallback(
  v.nullable(v.object({ question: v.string(), address: v.string() })),
  null,
);
const noError = { code: null, message: null, fields: {} };
const errorSchema = v.object({
  code: text,
  message: text,
  fields: v.fallback(v.record(v.string(), v.unknown()), {}),
});
const replySchema = v.fallback(
  v.object({ reference: text, consent: offerSchema, error: v.fallback(errorSchema, noError) }),
  { reference: null, consent: null, error: noError },
);
const codesSchema = v.fallback(v.array(v.object({ code: v.string() })), []);

interface Session {
  /** An access token other than `refused`, which the API has rejected. */
  token(refused?: string): Promise<string | null>;
}

/** Sends one lead, with retries, within 12 s. Never rejects. */
export function submitter(session: Session): SubmitRegistration {
  return async ({ payload, channels, plan, visitTimes, homes, idempotencyKey, language }) => {
    const deadline = Date.now() + TOTAL_TIME;
    const remaining = () => Math.max(0, deadline - Date.now());
    const trace = hexId();
    let mayReplaceToken = true;

    async function send(token: string | null): Promise<Reply> {
      if (token === null) {
        return unreachable;
      }
      const headers = {
        apikey: settings.publicKey,
        Authorization: `Bearer ${token}`,
        "Idempotency-Key": idempotencyKey,
        "Content-Language": language,
        "Privacy-Policy-Version": privacyPolicyVersion,
        "Contact-Channels": channels.join(", "),
        "Enquiry-Plan": plan ?? "",
        "Visit-Times": visitTimes.join(", "),
        "Home-Preferences": homes.join(", "),
        traceparent: `00-${trace}-${hexId().slice(16)}-01`,
      };
      const timeout = Math.min(LONGEST_TRY, remaining());
      const reply = await postJson("/functions/v1/send-contact-email", headers, payload, timeout);
      const { error } = contentOf(reply);
      if (mayReplaceToken && reply.status === 401 && error.code !== "apikey_invalid") {
        mayReplaceToken = false;
        return send(await withTimeout(remaining(), session.token(token)));
      }
      return reply;
    }

    for (let tries = 1; ; tries += 1) {
      const reply = await send(await withTimeout(remaining(), session.token()));
      // Random, so visitors affected by an outage do not retry simultaneously.
      const pause = reply.retryAfter ?? 500 * tries * (1 + Math.random());
      if (!RETRYABLE.includes(reply.status) || tries === MAX_TRIES || pause >= remaining()) {
        return outcomeOf(reply, tries);
      }
      await sleep(pause);
    }
  };
}

/** 32 hexadecimal digits; neither half is all zero, which trace contexts forbid. */
function hexId(): string {
  return uuid().replaceAll("-", "");
}

function outcomeOf(reply: Reply, tries: number): Outcome {
  const { reference, consent, error } = contentOf(reply);
  // Only 202 without an error means that the lead is stored: a proxy's 200 must not look like success.
  if (reply.status === 202 && error.message === null) {
    return { kind: "accepted", reference, consent };
  }
  const errors: FieldErrors = {};
  for (const field of fieldNames) {
    const codes = v.parse(codesSchema, error.fields[field]).map(({ code }) => code);
    if (codes.length > 0) {
      errors[field] = codes.find(isErrorCode) ?? "invalid";
    }
  }
  return reply.status === 422 && Object.keys(errors).length > 0
    ? { kind: "invalid", errors }
    : { kind: "failed", status: reply.status, code: error.code, tries };
}

function contentOf({ body }: Reply) {
  return v.parse(replySchema, body);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The promise's value, or `null` after the timeout. */
function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T | null> {
  return Promise.race([promise, sleep(milliseconds).then(() => null)]);
}
