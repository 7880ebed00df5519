import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import { type FloorPlanId, floorPlans, planNamed } from "#content/floor-plans.ts";

/**
 * Which plan is wanted large: the one that the address names, as `?plan=B2` or `#B2`. Back closes it, a reload keeps it,
 * and whoever is sent the address sees the same.
 */
export function useLargePlan() {
  const { search, hash, state } = useLocation();
  const navigate = useNavigate();
  const wanted = planNamed(new URLSearchParams(search).get("plan")) ?? planNamed(hash.slice(1));
  // The history takes a moment to follow: a second step meanwhile would be one too many.
  const settled = useRef<FloorPlanId | null>(undefined);

  useEffect(() => {
    settled.current = wanted;
  }, [wanted]);

  function go(id: FloorPlanId | null, replace: boolean, opened: boolean): void {
    // The address, unlike the router, knows the language that was chosen in place.
    const rest = new URLSearchParams(window.location.search);
    if (id === null) {
      rest.delete("plan");
    } else {
      rest.set("plan", id);
    }
    navigate({ search: rest.toString() }, { replace, state: { opened, inPlace: true } });
  }

  function open(id: FloorPlanId): void {
    // A plan is wanted already when the large view could not be loaded for it.
    if (wanted !== id && settled.current === wanted) {
      settled.current = undefined;
      go(id, wanted !== null, true);
    }
  }

  function turn(direction: 1 | -1): void {
    const index = floorPlans.findIndex(({ id }) => id === wanted);
    const next = floorPlans.at((index + direction) % floorPlans.length);
    if (next && wanted !== null && settled.current === wanted) {
      go(next.id, true, state?.opened === true);
    }
  }

  function close(): void {
    if (wanted !== null && settled.current === wanted) {
      settled.current = undefined;
      if (state?.opened === true) {
        navigate(-1);
      } else {
        // Whoever came by the address has no page of ours to go back to.
        go(null, true, false);
      }
    }
  }

  return { wanted, open, turn, close };
}
