import type { UseFormRegisterReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Asterisk } from "#ui/asterisk.tsx";
import { Checkbox } from "#ui/checkbox.tsx";
import { errorId, FieldError } from "#ui/field-error.tsx";
import { interestIds } from "./registration.ts";

interface InterestChoicesProps {
  error: string | undefined;
  registration: UseFormRegisterReturn<"interests">;
}

export function InterestChoices({ error, registration }: InterestChoicesProps) {
  const { t } = useTranslation();
  return (
    <fieldset aria-describedby={error === undefined ? undefined : errorId("interests")}>
      <legend className="field-legend" id="interests-label">
        {t("registration.interests")} <Asterisk />
        <span className="visually-hidden">{t("registration.required")}</span>
      </legend>
      <div className="choices-rows hairline-list hairline-list-closed">
        {interestIds.map((id) => (
          <Checkbox
            key={id}
            id={`interest-${id}`}
            value={id}
            field="interests"
            error={error}
            {...registration}
          >
            {t(`registration.interest.${id}`)}
          </Checkbox>
        ))}
      </div>
      <FieldError id="interests">{error}</FieldError>
    </fieldset>
  );
}
