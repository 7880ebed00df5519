import { useLocation } from "react-router-dom";
import { bedroomCounts, floorPlans, planNamed } from "#content/floor-plans.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { href } from "#routes.ts";
import { useHydrated } from "#ui/hydration-boundary.tsx";

/** What the address of the floor plans page asks for, such as `?bedrooms=2&compare=A1,B2&plan=B2`. */
export function usePlansAddress() {
  const { search } = useLocation();
  const language = useLanguage();
  // nginx selects the document by the number of bedrooms alone.
  const query = new URLSearchParams(useHydrated() ? search : "");

  const bedrooms = bedroomsIn(search);
  const shown = floorPlans.filter((plan) => bedrooms === null || plan.bedrooms === bedrooms);
  const large = shown.find(({ id }) => id === query.get("plan")) ?? null;
  const [first, second] = (query.get("compare") ?? "").split(",").map(planNamed);
  const compared = [first ?? null, second ?? null];

  /** The address of this page with these changes, in the language of the page; null removes a parameter. */
  function addressWith(changes: Record<string, string | null>): string {
    const parameters = {
      bedrooms: bedrooms && String(bedrooms),
      compare: compareValue(compared),
      plan: large?.id,
      ...changes,
    };
    const given = Object.entries(parameters).flatMap(([name, value]) =>
      value ? [[name, value]] : [],
    );
    return href("floorPlans", language, Object.fromEntries(given)).replace("%2C", ",");
  }

  return { bedrooms, shown, large, compared, addressWith };
}

export function compareValue(ids: readonly (string | null)[]): string {
  return ids.join(",").replace(/,$/, "");
}

/** Reads the parameter as nginx does: the first one, in any case, not decoded. nginx selects the document by it. */
function bedroomsIn(search: string): number | null {
  const asked = /[?&]bedrooms=([^&]*)/i.exec(search)?.[1];
  return bedroomCounts.find((count) => String(count) === asked) ?? null;
}
