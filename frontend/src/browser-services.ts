import { browserDrafts } from "#features/registration/draft.ts";
import { browserRandomBytes, uuid } from "#features/registration/identifiers.ts";
import type { RegistrationServices } from "#features/registration/registration-provider.tsx";
import { browserSubmitter } from "#features/registration/submit-registration.ts";
import { browserSession } from "#features/session/browser-session.ts";

/** What the form needs of the browser. Begins the visitor's session, or renews it. */
export function browserServices(): RegistrationServices {
  const session = browserSession();
  void session.keepFresh();
  return {
    submit: browserSubmitter(session),
    newIdempotencyKey: () => uuid(browserRandomBytes),
    drafts: browserDrafts(),
  };
}
