import type { FieldErrors, Resolver } from "react-hook-form";
import * as v from "valibot";
import { type Registration, type RegistrationInput, registrationSchema } from "./registration.ts";

/** The cleaned registration, or the code of the first broken rule of each field. */
export const checkRegistration: Resolver<RegistrationInput, unknown, Registration> = (values) => {
  const { success, output, issues } = v.safeParse(registrationSchema, values);
  if (success) {
    return { values: output, errors: {} };
  }
  const errors: FieldErrors<RegistrationInput> = {};
  for (const { path: [field] = [], type, message } of issues) {
    const name = field?.key as keyof RegistrationInput;
    errors[name] ??= { type, message };
  }
  return { values: {}, errors };
};
