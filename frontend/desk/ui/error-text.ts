import { DeskError } from "#desk/api.ts";
import { texts } from "#desk/language.ts";

/** Seconds above which a wait is shown in minutes. */
const LONG_WAIT_SECONDS = 90;

/** @param saving the last colleague to change the lead, when typed text may not have been saved */
export function errorText(error: unknown, saving?: { by: string }): string {
  const { errors } = texts;
  const { code, retryAfterSeconds } = error instanceof DeskError ? error : new DeskError("");
  switch (code) {
    case "rate_limited":
      return retryAfterSeconds > LONG_WAIT_SECONDS
        ? errors.minutes(Math.ceil(retryAfterSeconds / 60))
        : errors.seconds(Math.max(1, retryAfterSeconds));
    case "changed_meanwhile":
      return errors.changed_meanwhile(saving?.by ?? "");
    case "invalid":
    case "consent_note_missing":
    case "forbidden":
    case "no_such_lead":
    case "ambiguous_reference":
    case "invalid_link":
      return errors[code];
    default:
      return errors[saving ? "not_saved" : code === "unreachable" ? code : "unavailable"];
  }
}
