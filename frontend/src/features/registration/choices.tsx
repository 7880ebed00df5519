import { useEffect } from "react";
import type { UseFormRegisterReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router-dom";
import { type FloorPlanId, planNamed } from "#content/floor-plans.ts";
import { breakable } from "#i18n/breakable.ts";
import { Asterisk, Checkbox, describedBy, FieldError } from "#ui/field.tsx";
import { DismissButton } from "#ui/icons.tsx";
import { channelIds, interestIds, visitTimes } from "./registration.ts";

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

/** Consents that are asked for separately, and that nothing depends on. */
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
      // A browser that fills the form in again after a reload must not consent for the visitor.
      autoComplete="off"
      {...registration}
    >
      {t(`registration.channel.${id}`)}
    </Checkbox>
  ));
}

export function VisitTimes({ registration }: { registration: UseFormRegisterReturn<"times"> }) {
  const { t } = useTranslation();
  return (
    <fieldset className="visit">
      <legend className="field-legend">
        {t("registration.visit.legend")}{" "}
        <span className="field-optional quiet">{t("registration.optional")}</span>
      </legend>
      <div className="visit-times">
        {visitTimes.map((time) => (
          <label key={time} className="chip">
            <input type="checkbox" className="visually-hidden" value={time} {...registration} />
            {t(`registration.visit.${time}`)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export function AskedPlan({ plan, onRemove }: { plan: FloorPlanId; onRemove: () => void }) {
  const { t } = useTranslation();
  const name = breakable(t(`plans.unit.${plan}.heading`));
  return (
    <p className="asked-plan">
      <span className="field-legend">{t("registration.plan")}</span>
      <span className="chip chip-chosen">
        {name}
        <DismissButton label={t("registration.removePlan", { name })} onClick={onRemove} />
      </span>
    </p>
  );
}

/** Reports the plan that the address asks about, as `?ask=B2`, and removes it from the address. */
export function useAskedPlan(onAsk: (plan: FloorPlanId) => void): void {
  const { search, hash, state } = useLocation();
  const navigate = useNavigate();
  const query = new URLSearchParams(search);
  const plan = planNamed(query.get("ask"));

  // biome-ignore lint/correctness/useExhaustiveDependencies: another plan is another question.
  useEffect(() => {
    if (plan !== null) {
      onAsk(plan);
      query.delete("ask");
      navigate(
        { search: query.toString(), hash },
        { replace: true, state: { ...state, inPlace: true } },
      );
    }
  }, [plan]);
}
