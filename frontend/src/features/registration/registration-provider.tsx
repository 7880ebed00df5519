import { createContext, type ReactNode, type RefObject, useContext, useRef, useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router-dom";
import { routes } from "#routes.ts";
import { Toast } from "#ui/toast.tsx";
import type { DraftStore } from "./draft.ts";
import type { FieldName, Registration, RegistrationInput } from "./registration.ts";
import type { SubmitRegistration } from "./submit-registration.ts";

/** What the form needs from outside: where leads go, the names they go by, and where they wait. */
export interface RegistrationServices {
  submit: SubmitRegistration;
  /** A new key for a lead that was never sent. */
  newIdempotencyKey(): string;
  drafts: DraftStore;
}

/** Why a registration could not be sent, as far as the visitor can do something about it. */
export type Failure = "offline" | "busy" | "other";

/** What the visitor was last told; `serial` tells two tellings apart. */
export type Notice = { serial: number } & (
  | { kind: "accepted"; reference: string | null }
  | { kind: "invalid"; firstField: FieldName }
  | { kind: "failed"; failure: Failure }
);

export type NewNotice = Notice extends infer N
  ? N extends Notice
    ? Omit<N, "serial">
    : never
  : never;

export type RegistrationControl = Omit<
  UseFormReturn<RegistrationInput, unknown, Registration>,
  "formState"
>;

interface RegistrationState {
  services: RegistrationServices;
  notice: Notice | null;
  tell: (news: NewNotice | null) => void;
  submitting: boolean;
  setSubmitting: (submitting: boolean) => void;
  /** Whether a press is under way: state arrives with the next render, a double click comes sooner. */
  busy: RefObject<boolean>;
  /** The form's values, which outlive the page that shows it. */
  control: RefObject<RegistrationControl | null>;
  dismissed: number;
  dismiss: (serial: number) => void;
}

const RegistrationContext = createContext<RegistrationState | null>(null);

interface RegistrationProviderProps {
  services: RegistrationServices;
  children: ReactNode;
}

/** Holds the registration over all pages: whoever leaves the form while it is sent hears what came of it. */
export function RegistrationProvider({ services, children }: RegistrationProviderProps) {
  const [notice, setNotice] = useState<Notice | null>(null);
  const [submitting, setSubmitting] = useState(false);
  const [dismissed, dismiss] = useState(0);
  const serial = useRef(0);
  const busy = useRef(false);
  const control = useRef<RegistrationControl>(null);
  const elsewhere = useLocation().pathname !== routes.home.path;

  function tell(news: NewNotice | null): void {
    serial.current += 1;
    setNotice(news && { ...news, serial: serial.current });
  }

  return (
    <RegistrationContext
      value={{
        services,
        notice,
        tell,
        submitting,
        setSubmitting,
        busy,
        control,
        dismissed,
        dismiss,
      }}
    >
      {children}
      {elsewhere && <RegistrationToast />}
    </RegistrationContext>
  );
}

/** The passing word about the registration: beside the form, or over a page without it. */
export function RegistrationToast() {
  const { t } = useTranslation();
  const { notice, dismissed, dismiss } = useRegistrationState();
  const shown = notice !== null && notice.serial !== dismissed ? notice : null;
  return (
    <Toast
      onDismiss={dismiss}
      message={
        shown && {
          serial: shown.serial,
          text: t(`registration.toast.${shown.kind}`),
          dismissLabel: t("registration.toast.dismiss"),
          good: shown.kind === "accepted",
        }
      }
    />
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
