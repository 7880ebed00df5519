import { useLocation, useNavigate } from "react-router-dom";
import {
  bedroomCounts,
  type FloorPlanId,
  floorPlans,
  planNamed,
} from "#shared/content/floor-plans.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useHydrated } from "#shared/ui/hydration-boundary.tsx";
import { inPlace } from "#site/history-entry.ts";
import { href } from "#site/routes.ts";

/** The two compared plans, or the chosen one of them. */
export type Pair = [first: FloorPlanId | null, second: FloorPlanId | null];

/** The parameters of the floor plans page, such as `?bedrooms=2&compare=A1,B2&plan=B2&view=living`. */
export function usePlansAddress() {
  const { search } = useLocation();
  const language = useLanguage();
  // nginx selects the document only by the number of bedrooms.
  const query = new URLSearchParams(useHydrated() ? search : "");

  const bedrooms = bedroomsIn(search);
  const shown = floorPlans.filter((plan) => bedrooms === null || plan.bedrooms === bedrooms);
  const openedPlan = floorPlans.find(({ id }) => id === query.get("plan")) ?? null;
  const view = query.get("view");
  const [first, second] = (query.get("compare") ?? "").split(",").map(planNamed);
  const compared: Pair = [first ?? null, second && second !== first ? second : null];

  /** The address of this page with changed parameters, in the language of the page. `null` removes a parameter. */
  function addressWith(changes: Record<string, string | null>): string {
    const parameters = {
      bedrooms: bedrooms && String(bedrooms),
      compare: pairValue(compared),
      plan: openedPlan?.id,
      // A room belongs to the plan.
      view: "plan" in changes ? null : view,
      ...changes,
    };
    const given = Object.entries(parameters).flatMap(([name, value]) =>
      value ? [[name, value]] : [],
    );
    return href("floorPlans", language, Object.fromEntries(given)).replace("%2C", ",");
  }

  return { bedrooms, shown, openedPlan, view, compared, addressWith };
}

/** The compared plans in the address, and a function to change them. */
export function useComparison() {
  const navigate = useNavigate();
  const { compared, addressWith } = usePlansAddress();

  function compare(pair: Pair): void {
    // Without `opened`, because Back would lead to an address without the comparison.
    navigate(addressWith({ compare: pairValue(pair) }), inPlace({}));
  }

  return { compared, compare };
}

function pairValue(pair: Pair): string {
  return pair.join(",").replace(/,$/, "");
}

/** Reads the parameter like nginx, which selects the document by it: the first one, in any case, not decoded. */
function bedroomsIn(search: string): number | null {
  const asked = /[?&]bedrooms=([^&]*)/i.exec(search)?.[1];
  return bedroomCounts.find((count) => String(count) === asked) ?? null;
}
