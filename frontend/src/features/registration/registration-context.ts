import { createContext, useContext } from "react";
import type { useRegistration } from "./use-registration.ts";

export type RegistrationState = ReturnType<typeof useRegistration>;

export const RegistrationContext = createContext<RegistrationState | null>(null);

/** The one registration of this visit. */
export function useRegistrationState(): RegistrationState {
  const state = useContext(RegistrationContext);
  if (state === null) {
    throw new Error("the registration form is rendered outside its provider");
  }
  return state;
}
