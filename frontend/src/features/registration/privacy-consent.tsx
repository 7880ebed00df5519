import type { UseFormRegisterReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Asterisk } from "#ui/asterisk.tsx";
import { Checkbox } from "#ui/checkbox.tsx";
import { errorId, FieldError } from "#ui/field-error.tsx";

interface PrivacyConsentProps {
  error: string | undefined;
  registration: UseFormRegisterReturn<"privacyAccepted">;
}

export function PrivacyConsent({ error, registration }: PrivacyConsentProps) {
  const { t } = useTranslation();
  return (
    <div className="consent">
      <Checkbox
        id="privacyAccepted"
        // A browser that fills the form in again after a reload must not consent for the visitor.
        autoComplete="off"
        aria-required="true"
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : errorId("privacyAccepted")}
        {...registration}
      >
        {t("registration.privacyBefore")}
        <a href="#privacy-policy">{t("registration.privacyLink")}</a> <Asterisk />
      </Checkbox>
      <FieldError id="privacyAccepted">{error}</FieldError>
    </div>
  );
}
