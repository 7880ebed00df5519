import { wellFormed } from "#api/well-formed.ts";
import type { Registration } from "./registration.ts";

/** The body of a lead: exactly these five fields. */
export interface Payload {
  interests: Registration["interests"];
  name: string;
  mobile: string;
  email: string;
  questions: string;
}

export function payloadOf(registration: Registration): Payload {
  return {
    interests: registration.interests,
    name: wellFormed(registration.name),
    mobile: wellFormed(registration.mobile),
    email: wellFormed(registration.email),
    questions: wellFormed(registration.questions),
  };
}
