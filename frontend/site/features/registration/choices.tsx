import { Fragment } from "react";
import type { UseFormRegisterReturn } from "react-hook-form";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Asterisk, Checkbox, describedBy, FieldError } from "#shared/ui/field.tsx";
import { unbroken } from "#shared/ui/unbroken.tsx";
import {
  bedroomIds,
  type homeIds,
  interestIds,
  purposeIds,
  type ReachId,
  reachIds,
} from "./registration.ts";

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
            {unbroken(t(`registration.interest.${id}`))}
          </Checkbox>
        ))}
      </div>
      <FieldError id="interests">{error}</FieldError>
    </fieldset>
  );
}

interface ReachChoicesProps {
  registration: UseFormRegisterReturn<"channels">;
  onPress: (pressed: ReachId) => void;
}

/** Separate and optional consents to calls and messages, below the number that they are about. */
export function ReachChoices({ registration, onPress }: ReachChoicesProps) {
  const { t } = useTranslation();
  return (
    <fieldset className="chips" aria-describedby="reach-consent">
      <legend className="field-legend">
        {t("privacy.boxes.reach")}{" "}
        <span className="field-hint quiet">{t("registration.optional")}</span>
      </legend>
      <div className="chip-row">
        {reachIds.map((id) => (
          <label key={id} className={`chip reach-${id}`}>
            <input
              id={`reach-${id}`}
              type="checkbox"
              className="visually-hidden"
              value={id}
              {...registration}
              onChange={async (event) => {
                await registration.onChange(event);
                onPress(id);
              }}
            />
            {t(`privacy.boxes.${id}`)}
          </label>
        ))}
      </div>
      <p id="reach-consent" className="field-help quiet">
        {t("privacy.boxes.consent")}
      </p>
    </fieldset>
  );
}

/** Numbers of bedrooms, and below them what the home is for. */
export function HomeChoices({ registration }: { registration: UseFormRegisterReturn<"homes"> }) {
  const { t } = useTranslation();
  const chip = (id: (typeof homeIds)[number], unit = "") => (
    <label key={id} className="chip">
      <input type="checkbox" className="visually-hidden" value={id} {...registration} />
      {t(`registration.homes.${id}`)}
      <span className="visually-hidden">{unit}</span>
    </label>
  );
  return (
    <fieldset className="chips homes">
      <legend className="field-legend">
        {t("registration.homes.legend")}{" "}
        <span className="field-hint quiet">{t("registration.optional")}</span>
      </legend>
      <div className="chip-row">
        {bedroomIds.map((id) => chip(id, id === "5-bedroom" ? "" : t("registration.homes.unit")))}
      </div>
      <div className="chip-row">
        <span className="small quiet">{t("registration.homes.for")}</span>
        {purposeIds.map((id) => chip(id))}
      </div>
    </fieldset>
  );
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
