import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router-dom";
import { type FloorPlanId, planNamed } from "#content/floor-plans.ts";
import { breakable } from "#i18n/breakable.ts";

/**
 * The plan that the address asks about, as `?ask=B2`: tells of it once, and takes it out of the address.
 * @returns what a message to us begins with, about that plan
 */
export function useAskedPlan(onAsk: (sentence: string) => void): string {
  const { t } = useTranslation();
  const { search, hash, state } = useLocation();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<FloorPlanId | null>(null);
  const id = planNamed(new URLSearchParams(search).get("ask"));
  const about = (plan: FloorPlanId) =>
    breakable(t("registration.ask", { name: t(`plans.unit.${plan}.heading`) }));
  const ask = useRef(() => {});

  useEffect(() => {
    ask.current = () => {
      if (id !== null) {
        onAsk(about(id));
        setAsked(id);
        const rest = new URLSearchParams(search);
        rest.delete("ask");
        navigate(
          { search: rest.toString(), hash },
          { replace: true, state: { ...state, inPlace: true } },
        );
      }
    };
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: another plan is another question.
  useEffect(() => ask.current(), [id]);

  return asked === null ? t("registration.message") : about(asked);
}
