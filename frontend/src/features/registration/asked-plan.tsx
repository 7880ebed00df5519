import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router-dom";
import { type FloorPlanId, planNamed } from "#content/floor-plans.ts";
import { breakable } from "#i18n/breakable.ts";
import { DismissButton } from "#ui/dismiss-button.tsx";

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

/** The plan that the visitor asks about, with a button that removes it. */
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
