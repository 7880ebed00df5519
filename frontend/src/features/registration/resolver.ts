import type { FieldErrors as FormErrors, Resolver } from "react-hook-form";
import {
  type FieldErrors,
  fieldNames,
  type Registration,
  type RegistrationInput,
  validateRegistration,
} from "./registration.ts";

/** The rules as react-hook-form asks for them; the type of an error is its code. */
export const registrationResolver: Resolver<RegistrationInput, unknown, Registration> = (
  values,
) => {
  const result = validateRegistration(values);
  return result.ok
    ? { values: result.registration, errors: {} }
    : { values: {}, errors: formErrors(result.errors) };
};

function formErrors(errors: FieldErrors): FormErrors<RegistrationInput> {
  const entries = fieldNames.flatMap((field) => {
    const code = errors[field]?.[0];
    return code === undefined ? [] : [[field, { type: code }]];
  });
  return Object.fromEntries(entries);
}
