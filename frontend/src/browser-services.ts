import { safeStorage } from "#api/key-value-store.ts";
import type { RegistrationServices } from "#features/registration/registration-provider.tsx";
import { submitter } from "#features/registration/submit-registration.ts";
import { browserSession } from "#features/session/session.ts";

/** What the form needs of the browser. Begins the visitor's session, or renews it. */
export function browserServices(): RegistrationServices {
  return { submit: submitter(browserSession()), storage: safeStorage(() => window.sessionStorage) };
}
