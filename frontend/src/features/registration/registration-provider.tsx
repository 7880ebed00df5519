import { createContext, type ReactNode, useContext } from "react";
import { useTranslation } from "react-i18next";
import { Toast } from "#ui/toast.tsx";
import { type RegistrationServices, useRegistration } from "./use-registration.ts";

type RegistrationState = ReturnType<typeof useRegistration>;

const RegistrationContext = createContext<RegistrationState | null>(null);

interface RegistrationProviderProps {
  services: RegistrationServices;
  children: ReactNode;
}

/** Holds the registration over all pages: whoever leaves the form while it is sent hears what came of it. */
export function RegistrationProvider({ services, children }: RegistrationProviderProps) {
  const { t } = useTranslation();
  const registration = useRegistration(services);
  const { notice } = registration;
  return (
    <RegistrationContext value={registration}>
      {children}
      <Toast
        dismissLabel={t("registration.toast.dismiss")}
        message={
          notice && {
            serial: notice.serial,
            text: t(`registration.toast.${notice.kind}`),
            urgent: notice.kind !== "accepted",
          }
        }
      />
    </RegistrationContext>
  );
}

/** The one registration of this visit. */
export function useRegistrationState(): RegistrationState {
  const state = useContext(RegistrationContext);
  if (state === null) {
    throw new Error("the registration form is rendered outside its provider");
  }
  return state;
}
