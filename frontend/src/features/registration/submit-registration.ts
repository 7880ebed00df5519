import { fieldsOf, postJson, type Reply } from "#api/post-json.ts";
import { sleep, withTimeout } from "#api/time.ts";
import { privacyPolicyVersion } from "#content/project.ts";
import type { Language } from "#i18n/language.ts";
import { settings } from "#settings.ts";
import { browserRandomBytes, type RandomBytes, traceId, traceparent } from "./identifiers.ts";
import { type FieldErrors, fieldNames, isErrorCode, type Payload } from "./registration.ts";

/** One submit: the key stays the same for as long as the payload does. */
export interface Submission {
  payload: Payload;
  idempotencyKey: string;
  language: Language;
}

export type Outcome =
  | { kind: "accepted"; reference: string | null }
  | { kind: "invalid"; errors: FieldErrors }
  | { kind: "failed"; status: number | null; code: string | null; tries: number };

export type SubmitRegistration = (submission: Submission) => Promise<Outcome>;

/** Where access tokens come from. */
interface Tokens {
  token(): Promise<string | null>;
  replace(refused: string): Promise<string | null>;
}

interface Dependencies {
  fetch: typeof fetch;
  tokens: Tokens;
  publicKey: string;
  randomBytes: RandomBytes;
}

export const LEADS_PATH = "/functions/v1/send-contact-email";

const TOTAL_TIME = 12_000;
/** The API answers within 5 s, whatever happens behind it. */
const LONGEST_TRY = 5_500;
const MAX_TRIES = 3;
const RETRYABLE = [429, 502, 503, 504];

/** Sends one lead, trying again by itself within 12 s; never rejects. */
export function submitter(deps: Dependencies): SubmitRegistration {
  return async (submission) => {
    const deadline = Date.now() + TOTAL_TIME;
    const trace = traceId(deps.randomBytes);
    let mayReplaceToken = true;

    const remaining = () => Math.max(0, deadline - Date.now());

    async function send(token: string | null): Promise<Reply> {
      if (token === null) {
        return { kind: "unreachable" };
      }
      const reply = await postJson(deps.fetch, {
        path: LEADS_PATH,
        headers: {
          apikey: deps.publicKey,
          Authorization: `Bearer ${token}`,
          "Idempotency-Key": submission.idempotencyKey,
          "Content-Language": submission.language,
          "Privacy-Policy-Version": privacyPolicyVersion,
          traceparent: traceparent(trace, deps.randomBytes),
        },
        body: submission.payload,
        timeout: Math.min(LONGEST_TRY, remaining()),
      });
      if (mayReplaceToken && isTokenRefusal(reply)) {
        mayReplaceToken = false;
        return send(await withTimeout(remaining(), deps.tokens.replace(token)));
      }
      return reply;
    }

    for (let tries = 1; ; tries += 1) {
      const reply = await send(await withTimeout(remaining(), deps.tokens.token()));
      if (!isRetryable(reply)) {
        return outcomeOf(reply, tries);
      }
      const pause = retryAfterOf(reply) ?? backoff(tries, deps.randomBytes);
      if (tries === MAX_TRIES || pause >= remaining()) {
        return outcomeOf(reply, tries);
      }
      await sleep(pause);
    }
  };
}

/** The submitter of this page, on the browser's own network and randomness. */
export function browserSubmitter(tokens: Tokens): SubmitRegistration {
  return submitter({
    fetch: (input, init) => window.fetch(input, init),
    publicKey: settings.publicKey,
    randomBytes: browserRandomBytes,
    tokens,
  });
}

function outcomeOf(reply: Reply, tries: number): Outcome {
  if (reply.kind === "unreachable") {
    return { kind: "failed", status: null, code: null, tries };
  }
  // Only 202 means that the lead is safe: a stray 200 from something in between must not look like success.
  if (reply.status === 202) {
    const { reference } = fieldsOf(reply.body);
    return { kind: "accepted", reference: typeof reference === "string" ? reference : null };
  }
  const error = fieldsOf(fieldsOf(reply.body)["error"]);
  if (reply.status === 422) {
    const errors = fieldErrorsOf(error["fields"]);
    if (Object.keys(errors).length > 0) {
      return { kind: "invalid", errors };
    }
  }
  const code = typeof error["code"] === "string" ? error["code"] : null;
  return { kind: "failed", status: reply.status, code, tries };
}

/** `fields` of a 422: field -> list of `{code, message}`; what this form does not know is left out. */
function fieldErrorsOf(fields: unknown): FieldErrors {
  const given = fieldsOf(fields);
  const errors: FieldErrors = {};
  for (const field of fieldNames) {
    const list = given[field];
    const codes = (Array.isArray(list) ? list : [])
      .map((entry) => fieldsOf(entry)["code"])
      .filter(isErrorCode);
    if (codes.length > 0) {
      errors[field] = codes;
    }
  }
  return errors;
}

function isTokenRefusal(reply: Reply): boolean {
  return (
    reply.kind === "answered" &&
    reply.status === 401 &&
    fieldsOf(fieldsOf(reply.body)["error"])["code"] !== "apikey_invalid"
  );
}

function isRetryable(reply: Reply): boolean {
  return reply.kind === "unreachable" || RETRYABLE.includes(reply.status);
}

function retryAfterOf(reply: Reply): number | null {
  return reply.kind === "answered" ? reply.retryAfter : null;
}

/** 0.5 to 1 s, then 1 to 2 s: visitors whom one outage hit do not come back as one. */
function backoff(tries: number, randomBytes: RandomBytes): number {
  const jitter = (randomBytes(1)[0] ?? 0) / 255;
  return 500 * tries * (1 + jitter);
}
