import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Toast } from "#ui/toast.tsx";
import { RegistrationContext } from "./registration-context.ts";
import type { RegistrationServices } from "./registration-services.ts";
import { useRegistration } from "./use-registration.ts";

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
