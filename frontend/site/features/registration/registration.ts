import type { TFunction } from "i18next";
import * as v from "valibot";
import { type FloorPlanId, floorPlans } from "#shared/content/floor-plans.ts";
import { textLimits } from "#shared/content/text-limits.ts";
import { breakable } from "#site/i18n/breakable.ts";
import { cleanAscii, cleanLine, cleanLines } from "./clean.ts";

/** The interest choices, in the order of the form. */
export const interestIds = ["brochure", "purchase", "showflat"] as const;

/** Ids of the visit times for the show flat, in the order of the form. */
export const visitTimes = (["weekday", "weekend"] as const).flatMap((day) =>
  (["morning", "afternoon", "evening"] as const).map((hour) => `${day}-${hour}s` as const),
);

/** Ids of the numbers of bedrooms, in the order of the form. */
export const bedroomIds = (["1", "2", "3", "4", "5"] as const).map(
  (number) => `${number}-bedroom` as const,
);

/** Ids of what a home is for, in the order of the form. */
export const purposeIds = ["own-use", "investment"] as const;

/** Ids of the homes that a visitor can look for. */
export const homeIds = [...bedroomIds, ...purposeIds];

/** Channels for which a visitor can give separate consent, in the order of the form. */
const channelIds = ["phone", "message"] as const;

/** The choices of "How may we reach you?". `email` is no consent: it declines the channels. */
export const reachIds = [...channelIds, "email"] as const;

export type ReachId = (typeof reachIds)[number];

export const planIds = floorPlans.map(({ id }) => id);

/** `maxlength` of each input, as the specification of the form defines it. Only `mobile` may be longer than its rule allows. */
export const inputLimits = { ...textLimits, mobile: 20, antiSpam: 10 } satisfies Record<
  TextField | "antiSpam",
  number
>;

/** The text fields of a lead. */
export const textFields = Object.keys(textLimits) as TextField[];

/** The pattern of the HTML standard for `<input type=email>`, plus a required dot in the domain. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/;

const cleaned = (clean: (text: string) => string) => v.pipe(v.string(), v.transform(clean));

/** The rules of the form, for cleaned text. Messages are error codes; lengths count UTF-16 code units. */
export const registrationSchema = v.object({
  interests: v.pipe(v.array(v.picklist(interestIds)), v.minLength(1, "interests_required")),
  name: v.pipe(
    cleaned(cleanLine),
    v.minLength(1, "name_required"),
    v.maxLength(textLimits.name, "name_too_long"),
  ),
  mobile: v.pipe(
    // Input methods for Chinese enter full-width digits.
    cleaned(cleanAscii),
    v.minLength(8, "mobile_too_short"),
    v.maxLength(textLimits.mobile, "mobile_too_long"),
  ),
  email: v.pipe(
    cleaned(cleanAscii),
    v.regex(EMAIL, "email_invalid"),
    v.maxLength(textLimits.email, "email_too_long"),
  ),
  questions: v.pipe(cleaned(cleanLines), v.maxLength(textLimits.questions, "questions_too_long")),
  antiSpam: v.pipe(cleaned(cleanAscii), v.value("7", "anti_spam_wrong")),
  privacyAccepted: v.pipe(v.boolean(), v.value(true, "privacy_required")),
  channels: v.pipe(
    v.array(v.picklist(reachIds)),
    v.transform((chosen) =>
      channelIds.filter((id) => chosen.includes(id) && !chosen.includes("email")),
    ),
  ),
  plan: v.nullable(v.picklist(planIds)),
  times: v.array(v.picklist(visitTimes)),
  homes: v.array(v.picklist(homeIds)),
});

/** The values of the form before validation. */
export type RegistrationInput = v.InferInput<typeof registrationSchema>;

/** A valid registration. */
export type Registration = v.InferOutput<typeof registrationSchema>;

export type FieldName = keyof RegistrationInput;

/** In the order of the form, which decides which invalid field gets the focus. */
export const fieldNames = Object.keys(registrationSchema.entries) as FieldName[];

/** Every field error of the form rules and the API. `invalid` replaces a code of the API that is younger than this page. */
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
  "privacy_outdated",
  "missing",
  "wrong_type",
  "unknown_interest",
  "invalid",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** The first broken rule of each field. */
export type FieldErrors = Partial<Record<FieldName, ErrorCode>>;

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
  channels: [],
  plan: null,
  times: [],
  homes: [],
};

const { issues: issuesOfEmpty = [] } = v.safeParse(registrationSchema, emptyRegistration);
const requiredFields = new Set(issuesOfEmpty.map(({ path }) => path?.[0].key));

/** Whether the rules refuse a form without this field. */
export function isRequired(name: FieldName): boolean {
  return requiredFields.has(name);
}

/** The body of a lead: every field of the form but those that the site checks itself or sends as headers. */
export function payloadOf(registration: Registration) {
  const { antiSpam, privacyAccepted, channels, plan, times, homes, ...payload } = registration;
  return payload;
}

export type Payload = ReturnType<typeof payloadOf>;

type TextField = {
  [Name in keyof Payload]: Payload[Name] extends string ? Name : never;
}[keyof Payload];

/** The chosen times, in the order of the form. Only a visitor who is interested in the show flat sees the choice. */
export function visitTimesOf({ interests, times }: Registration): Registration["times"] {
  return visitTimes.filter((time) => interests.includes("showflat") && times.includes(time));
}

export function planSentence(plan: FloorPlanId, t: TFunction): string {
  return breakable(t("registration.ask", { name: t(`unit.${plan}.heading`) }));
}
