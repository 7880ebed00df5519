import { createContext, type ReactNode, type RefObject, useContext, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { KeyValueStore } from "#api/key-value-store.ts";
import type { FloorPlanId } from "#content/floor-plans.ts";
import { Toast } from "#ui/toast.tsx";
import type { RegistrationControl } from "./registration.ts";
import type { SubmitRegistration } from "./submit-registration.ts";

/** What the form needs from outside. */
export interface RegistrationServices {
  submit: SubmitRegistration;
  /** Where drafts are kept. */
  storage: KeyValueStore;
}

export type Status =
  | { kind: "idle" }
  | { kind: "sending" }
  | { kind: "invalid" }
  | { kind: "failed"; reason: "offline" | "busy" | "other" }
  | { kind: "accepted"; reference: string | null; plan: FloorPlanId | null };

interface RegistrationState {
  services: RegistrationServices;
  status: Status;
  setStatus: (status: Status) => void;
  /** The values of the form, which outlive the page that shows it. */
  control: RefObject<RegistrationControl | null>;
}

const RegistrationContext = createContext<RegistrationState | null>(null);

interface RegistrationProviderProps {
  services: RegistrationServices;
  children: ReactNode;
}

/** Holds the registration over all pages, because a visitor may leave the form while it is sent. */
export function RegistrationProvider({ services, children }: RegistrationProviderProps) {
  const { t } = useTranslation();
  const [status, setStatus] = useState<Status>({ kind: "idle" });
  const control = useRef<RegistrationControl>(null);
  const { kind } = status;
  return (
    <RegistrationContext value={{ services, status, setStatus, control }}>
      {children}
      <Toast
        message={
          kind === "idle" || kind === "sending"
            ? null
            : {
                event: status,
                text: t(`registration.toast.${kind}`),
                isGood: kind === "accepted",
                dismissLabel: t("registration.toast.dismiss"),
              }
        }
      />
    </RegistrationContext>
  );
}

export function useRegistrationState(): RegistrationState {
  const state = useContext(RegistrationContext);
  if (state === null) {
    throw new Error("no RegistrationProvider");
  }
  return state;
}
