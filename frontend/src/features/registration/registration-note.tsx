import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { SalesTelephone } from "#content/fact-text.tsx";
import type { Notice } from "./use-registration.ts";

/** The lasting word beside the button: the reference after success, another way to reach us after failure. */
export function RegistrationNote({ notice }: { notice: Notice | null }) {
  const { t } = useTranslation();
  const element = useRef<HTMLParagraphElement>(null);

  useEffect(() => {
    // The button was disabled while sending, which drops the focus: without this it would start over at the top.
    if (notice !== null && notice.kind !== "invalid" && document.activeElement === document.body) {
      element.current?.focus({ preventScroll: true });
    }
  }, [notice]);

  const text = textOf();
  return (
    <p ref={element} className="registration-note" tabIndex={-1} aria-live="polite">
      {text}
    </p>
  );

  function textOf() {
    if (notice?.kind === "accepted" && notice.reference !== null) {
      return (
        <>
          {t("registration.acceptedNote")}{" "}
          <strong className="registration-reference">{notice.reference}</strong>
        </>
      );
    }
    if (notice?.kind === "failed") {
      return (
        <>
          {t("registration.failedNote")} <SalesTelephone />
        </>
      );
    }
    return null;
  }
}
