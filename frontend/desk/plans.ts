import { type FloorPlanId, floorPlans } from "#shared/content/floor-plans.ts";

/** From the smallest plan to the largest. */
export const planIds = floorPlans.map(({ id }) => id);

/** The plans with a number of bedrooms. */
export function plansWith(bedrooms: number): FloorPlanId[] {
  return floorPlans.filter((plan) => plan.bedrooms === bedrooms).map(({ id }) => id);
}
