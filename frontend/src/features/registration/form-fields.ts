import { anchors } from "#routes.ts";
import { interestIds, type RegistrationInput } from "./registration.ts";

/** What the elements of the form hold. A script may fill them in without an event. */
export function readFields(form: HTMLFormElement): Omit<RegistrationInput, "plan" | "times"> {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? "");
  const interests = data.getAll("interests");
  return {
    interests: interestIds.filter((id) => interests.includes(id)),
    name: text("name"),
    mobile: text("mobile"),
    email: text("email"),
    questions: text("questions"),
    antiSpam: text("antiSpam"),
    privacyAccepted: data.has("privacyAccepted"),
  };
}

/** What was typed into the prerendered form, which React discards when hydration fails. */
export function readPrerenderedForm() {
  // There is no document while prerendering.
  const form = globalThis.document?.querySelector<HTMLFormElement>(`form#${anchors.form}`);
  return form ? readFields(form) : null;
}

/** Scrolls to the label, which the bar must not cover, and focuses the field. */
export function showFirstError(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLElement>('[aria-invalid="true"]');
  const label =
    input?.closest("fieldset")?.querySelector("legend") ??
    form.querySelector(`label[for="${input?.id}"]`);
  label?.scrollIntoView();
  input?.focus({ preventScroll: true });
}
