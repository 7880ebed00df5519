import { browserClock } from "#api/clock.ts";
import { settings } from "#settings.ts";
import { browserRandomBytes } from "./identifiers.ts";
import { type SubmitRegistration, submitter } from "./submit-registration.ts";

/** The submitter of this page, on the browser's own clock, network and randomness. */
export function browserSubmitter(
  tokens: Parameters<typeof submitter>[0]["tokens"],
): SubmitRegistration {
  return submitter({
    fetch: (input, init) => window.fetch(input, init),
    clock: browserClock,
    publicKey: settings.publicKey,
    randomBytes: browserRandomBytes,
    tokens,
  });
}
