import { browserDrafts } from "#features/registration/draft.ts";
import { browserRandomBytes, uuid } from "#features/registration/identifiers.ts";
import type { RegistrationServices } from "#features/registration/registration-provider.tsx";
import { browserSubmitter } from "#features/registration/submit-registration.ts";
import { browserSession } from "#features/session/browser-session.ts";

let services: RegistrationServices | undefined;

/** The services of this page; the first call begins the visitor's session, or renews it. */
export function browserServices(): RegistrationServices {
  if (services === undefined) {
    const session = browserSession();
    void session.keepFresh();
    services = {
      submit: browserSubmitter(session),
      newIdempotencyKey: () => uuid(browserRandomBytes),
      drafts: browserDrafts(),
    };
  }
  return services;
}
