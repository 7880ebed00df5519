import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import { type FloorPlanId, floorPlans } from "#content/floor-plans.ts";

/**
 * Which plan is wanted large, as an entry of the browser's history: Back closes it, a reload keeps it, and whoever is
 * sent its address comes to the plan's card.
 */
export function useLargePlan() {
  const { state } = useLocation();
  const navigate = useNavigate();
  const wanted = floorPlans.find(({ id }) => id === state?.largePlan)?.id ?? null;
  // The history takes a moment to follow: a second step meanwhile would be one too many.
  const settled = useRef<FloorPlanId | null>(undefined);

  useEffect(() => {
    settled.current = wanted;
  }, [wanted]);

  function go(id: FloorPlanId, replace: boolean): void {
    // The address, unlike the router, knows the language that was chosen in place.
    const to = { search: window.location.search, hash: `#${id}` };
    navigate(to, { replace, state: { largePlan: id, inPlace: true } });
  }

  function open(id: FloorPlanId): void {
    // A plan is wanted already when the large view could not be loaded for it.
    if (wanted !== id && settled.current === wanted) {
      settled.current = undefined;
      go(id, wanted !== null);
    }
  }

  function turn(direction: 1 | -1): void {
    const index = floorPlans.findIndex(({ id }) => id === wanted);
    const next = floorPlans.at((index + direction) % floorPlans.length);
    if (next && wanted !== null && settled.current === wanted) {
      go(next.id, true);
    }
  }

  function close(): void {
    if (wanted !== null && settled.current === wanted) {
      settled.current = undefined;
      navigate(-1);
    }
  }

  return { wanted, open, turn, close };
}
