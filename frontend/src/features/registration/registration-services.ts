import type { DraftStore } from "./draft.ts";
import type { SubmitRegistration } from "./submit-registration.ts";

/** What the form needs from outside: where leads go, the names they go by, and where they wait. */
export interface RegistrationServices {
  submit: SubmitRegistration;
  /** A new key for a lead that was never sent. */
  newIdempotencyKey(): string;
  drafts: DraftStore;
}
