import * as v from "valibot";
import { wellFormed } from "#api/well-formed.ts";

/** The interest choices, in the order of the form. */
export const interestIds = ["brochure", "purchase", "showflat"] as const;

/** `maxlength` of each input: what the browser lets a visitor type, before any rule. */
export const inputLimits = {
  name: 100,
  mobile: 20,
  email: 255,
  questions: 1000,
  antiSpam: 10,
} as const;

/** The pattern of the HTML standard for `<input type=email>`, with a dot demanded in the domain. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/;

/** The rules of the form. Messages are codes, translated when shown; lengths count UTF-16 code units. */
export const registrationSchema = v.object({
  interests: v.pipe(
    v.array(v.picklist(interestIds)),
    v.minLength(1, "interests_required" satisfies ErrorCode),
  ),
  name: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, "name_required" satisfies ErrorCode),
    v.maxLength(100, "name_too_long" satisfies ErrorCode),
  ),
  mobile: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(8, "mobile_too_short" satisfies ErrorCode),
    v.maxLength(19, "mobile_too_long" satisfies ErrorCode),
  ),
  email: v.pipe(
    v.string(),
    v.trim(),
    v.regex(EMAIL, "email_invalid" satisfies ErrorCode),
    v.maxLength(255, "email_too_long" satisfies ErrorCode),
  ),
  questions: v.pipe(v.string(), v.maxLength(1000, "questions_too_long" satisfies ErrorCode)),
  antiSpam: v.pipe(v.string(), v.value("7", "anti_spam_wrong" satisfies ErrorCode)),
  privacyAccepted: v.pipe(v.boolean(), v.value(true, "privacy_required" satisfies ErrorCode)),
});

/** What the form holds while it is filled in. */
export type RegistrationInput = v.InferInput<typeof registrationSchema>;

/** A registration that keeps every rule. */
export type Registration = v.InferOutput<typeof registrationSchema>;

export type FieldName = keyof RegistrationInput;

/** In the order of the form: the first invalid one gets the focus. */
export const fieldNames = Object.keys(registrationSchema.entries) as FieldName[];

/** Every code that the browser's rules or the API can put under a field. */
export const errorCodes = [
  "interests_required",
  "name_required",
  "name_too_long",
  "mobile_too_short",
  "mobile_too_long",
  "email_invalid",
  "email_too_long",
  "questions_too_long",
  "anti_spam_wrong",
  "privacy_required",
  "missing",
  "wrong_type",
  "unknown_interest",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** Codes per field, in the order of the rules. */
export type FieldErrors = Partial<Record<FieldName, ErrorCode[]>>;

export function isErrorCode(code: unknown): code is ErrorCode {
  return errorCodes.some((known) => known === code);
}

export const emptyRegistration: RegistrationInput = {
  interests: [],
  name: "",
  mobile: "",
  email: "",
  questions: "",
  antiSpam: "",
  privacyAccepted: false,
};

export type ValidationResult =
  | { ok: true; registration: Registration }
  | { ok: false; errors: FieldErrors };

export function validateRegistration(input: unknown): ValidationResult {
  const result = v.safeParse(registrationSchema, input);
  if (result.success) {
    return { ok: true, registration: result.output };
  }
  const errors: FieldErrors = {};
  for (const issue of result.issues) {
    const field = issue.path?.[0].key as FieldName;
    const codes = errors[field] ?? [];
    errors[field] = [...codes, isErrorCode(issue.message) ? issue.message : "wrong_type"];
  }
  return { ok: false, errors };
}

/** The fields that are typed and sent. */
export const textFields = ["name", "mobile", "email", "questions"] as const;

type TextField = (typeof textFields)[number];

/** The body of a lead: exactly these five fields. */
export type Payload = Pick<Registration, "interests" | TextField>;

export function payloadOf(registration: Registration): Payload {
  const { antiSpam: _, privacyAccepted: __, ...payload } = registration;
  for (const field of textFields) {
    payload[field] = wellFormed(payload[field]);
  }
  return payload;
}
