import { Fragment } from "react";
import type { UseFormRegisterReturn } from "react-hook-form";
import { useTranslation } from "#i18n/use-translation.tsx";
import { Asterisk, Checkbox, describedBy, FieldError } from "#ui/field.tsx";
import { channelIds, interestIds } from "./registration.ts";

interface InterestChoicesProps {
  error: string | undefined;
  registration: UseFormRegisterReturn<"interests">;
}

export function InterestChoices({ error, registration }: InterestChoicesProps) {
  const { t } = useTranslation();
  return (
    <fieldset {...describedBy("interests", error)}>
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

/** Separate and optional consents. */
export function ChannelChoices({
  registration,
}: {
  registration: UseFormRegisterReturn<"channels">;
}) {
  const { t } = useTranslation();
  return channelIds.map((id) => (
    <Checkbox
      key={id}
      id={`channel-${id}`}
      value={id}
      field="channels"
      error={undefined}
      // Prevents a browser that restores the form after a reload from consenting for the visitor.
      autoComplete="off"
      {...registration}
    >
      {t(`privacy.boxes.${id}`)}
    </Checkbox>
  ));
}

/** Weekdays and weekends in rows, by morning, afternoon and evening. */
export function VisitTimes({ registration }: { registration: UseFormRegisterReturn<"times"> }) {
  const { t } = useTranslation();
  return (
    <fieldset className="visit">
      <legend className="field-legend">
        {t("registration.visit.legend")}{" "}
        <span className="field-hint quiet">{t("registration.optional")}</span>
      </legend>
      <div className="visit-times">
        {(["weekday", "weekend"] as const).map((day) => (
          <Fragment key={day}>
            <span className="visit-day small quiet" aria-hidden="true">
              {t(`registration.visit.day.${day}`)}
            </span>
            {(["morning", "afternoon", "evening"] as const).map((hour) => (
              <label key={hour} className="chip">
                <input
                  type="checkbox"
                  className="visually-hidden"
                  value={`${day}-${hour}s`}
                  {...registration}
                />
                <span className="visually-hidden">{t(`registration.visit.day.${day}`)} </span>
                {t(`registration.visit.hour.${hour}`)}
              </label>
            ))}
          </Fragment>
        ))}
      </div>
    </fieldset>
  );
}
