import { createContext, useContext } from "react";
import type { DraftStore } from "./draft.ts";
import type { SubmitRegistration } from "./submit-registration.ts";

/** What the form needs from outside: where leads go, the names they go by, and what keeps a draft. */
export interface RegistrationServices {
  submit: SubmitRegistration;
  /** A new key for a lead that was never sent. */
  newIdempotencyKey(): string;
  drafts: DraftStore;
}

const Context = createContext<RegistrationServices | null>(null);

export const RegistrationProvider = Context.Provider;

export function useRegistrationServices(): RegistrationServices {
  const services = useContext(Context);
  if (services === null) {
    throw new Error("the registration form is rendered outside its provider");
  }
  return services;
}
