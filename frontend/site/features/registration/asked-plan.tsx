import { useEffect } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import {
  type FloorPlanId,
  findPlan,
  planNamed,
  withThousands,
} from "#shared/content/floor-plans.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { DismissButton } from "#shared/ui/icons.tsx";
import { plans } from "#site/art/plans.ts";
import { inPlace, useEntryState } from "#site/history-entry.ts";
import { breakable } from "#site/i18n/breakable.ts";
import "./asked-plan.css";
import { interestIds, type Registration } from "./registration.ts";

/** The plan of the enquiry, at the top of the form. */
export function AskedPlan({ plan, onRemove }: { plan: FloorPlanId; onRemove: () => void }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const name = breakable(t(`unit.${plan}.heading`));
  return (
    <div className="asked-plan">
      <div className="asked-plan-drawing">
        <img src={plans[plan].card[language]} alt="" />
      </div>
      <p>
        <span className="small quiet">{t("registration.plan")}</span>
        <br />
        <b>{name}</b>
        <br />
        <span className="small quiet unbroken">
          {withThousands(findPlan(plan).size)} {t("areaUnit")}
        </span>
      </p>
      <DismissButton label={t("registration.removePlan", { name })} onClick={onRemove} />
    </div>
  );
}

interface Asked {
  plan: FloorPlanId | null;
  /** A second plan, which the question names, because a lead has one plan. */
  other: FloorPlanId | null;
  interests: Registration["interests"];
}

/**
 * Reports the `ask` of the address, and removes it from the address: `?ask=B2` asks about buying a plan,
 * `?ask=B2,C1` about two plans, `?ask=B2,brochure` about a plan's brochure and price, `?ask=showflat` about a visit.
 */
export function useAsked(onAsk: (asked: Asked) => void): void {
  const { search, hash } = useLocation();
  const state = useEntryState();
  const navigate = useNavigate();
  const query = new URLSearchParams(search);
  const ask = query.get("ask");

  // biome-ignore lint/correctness/useExhaustiveDependencies: each address is a new question.
  useEffect(() => {
    const words = ask?.split(",") ?? [];
    const [plan = null, other = null] = words.map(planNamed).filter((id) => id !== null);
    const interests = interestIds.filter((id) => words.includes(id));
    if (plan === null && interests.length === 0) {
      return;
    }
    onAsk({ plan, other, interests: interests.length === 0 ? ["purchase"] : interests });
    query.delete("ask");
    navigate({ search: query.toString(), hash }, inPlace(state));
  }, [ask]);
}
