import type { FloorPlanId } from "#shared/content/floor-plans.ts";

/**
 * The number of bedrooms of each plan, from the smallest plan to the largest. A copy of the site's content, which a test
 * compares: a module that both use would be another file of the public pages.
 */
const bedroomsByPlan: Record<FloorPlanId, number> = {
  A1: 1,
  A2: 1,
  A3: 1,
  B1: 2,
  B2: 2,
  C1: 3,
  C2N: 3,
  D1: 4,
  D2: 4,
  PH1: 5,
  PH2: 5,
  PH3: 5,
};

export const planIds = Object.keys(bedroomsByPlan) as FloorPlanId[];

/** The plans with a number of bedrooms. */
export function plansWith(bedrooms: number): FloorPlanId[] {
  return planIds.filter((id) => bedroomsByPlan[id] === bedrooms);
}
