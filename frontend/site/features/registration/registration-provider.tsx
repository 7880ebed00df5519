import { createContext, type ReactNode, type RefObject, use, useRef, useState } from "react";
import type { KeyValueStore } from "#shared/api/key-value-store.ts";
import type { FloorPlanId } from "#shared/content/floor-plans.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Toast } from "#shared/ui/toast.tsx";
import type { KeptForm } from "./draft.ts";
import type { ConsentOffer, SubmitRegistration } from "./submit-registration.ts";

export interface RegistrationServices {
  submit: SubmitRegistration;
  storage: KeyValueStore;
}

type Failure = "offline" | "busy" | "other";

export type Status =
  | { kind: "idle" }
  /** `after`: the failure before this attempt, whose note stays during the attempt. */
  | { kind: "sending"; after: Failure | null }
  | { kind: "invalid" }
  | { kind: "failed"; reason: Failure }
  | { kind: "accepted" };

/** What the note says about an accepted registration. */
export interface Thanks {
  reference: string | null;
  plan: FloorPlanId | null;
  consent: ConsentOffer | null;
}

interface RegistrationState {
  services: RegistrationServices;
  status: Status;
  setStatus: (status: Status) => void;
  /** Of the last accepted registration, until another is sent. */
  thanks: Thanks | null;
  setThanks: (thanks: Thanks | null) => void;
  /** Whether the form has values of an earlier visit that are not sent. */
  isRestored: boolean;
  setRestored: (isRestored: boolean) => void;
  /** The first form sets it, because only its page loads the code. */
  form: RefObject<KeptForm | null>;
}

const RegistrationContext = createContext<RegistrationState | null>(null);

export function useRegistrationState(): RegistrationState {
  const state = use(RegistrationContext);
  if (state === null) {
    throw new Error("the form needs a RegistrationProvider");
  }
  return state;
}

/** Keeps the registration on all pages, because a visitor may leave the form during a submission. */
export function RegistrationProvider(props: {
  services: RegistrationServices;
  children: ReactNode;
}) {
  const { services, children } = props;
  const { t } = useTranslation();
  const [status, setStatus] = useState<Status>({ kind: "idle" });
  const [thanks, setThanks] = useState<Thanks | null>(null);
  const [isRestored, setRestored] = useState(false);
  const form = useRef<KeptForm>(null);
  const { kind } = status;
  const isOver = kind !== "idle" && kind !== "sending";
  return (
    <RegistrationContext
      value={{
        services,
        status,
        setStatus,
        thanks,
        setThanks,
        isRestored,
        setRestored,
        form,
      }}
    >
      {children}
      <Toast
        event={isOver ? status : null}
        text={isOver ? t(`toast.${kind}`) : ""}
        isGood={kind === "accepted"}
        // At the bottom a toast could cover the note, at the top the first error.
        atTop={kind !== "invalid"}
      />
    </RegistrationContext>
  );
}
