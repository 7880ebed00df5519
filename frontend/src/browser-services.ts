import { v4 as uuid } from "uuid";
import { browserDrafts } from "#features/registration/draft.ts";
import type { RegistrationServices } from "#features/registration/registration-provider.tsx";
import { browserSubmitter } from "#features/registration/submit-registration.ts";
import { browserSession } from "#features/session/browser-session.ts";

/** What the form needs of the browser. Begins the visitor's session, or renews it. */
export function browserServices(): RegistrationServices {
  return {
    submit: browserSubmitter(browserSession()),
    newIdempotencyKey: () => uuid(),
    drafts: browserDrafts(),
  };
}
