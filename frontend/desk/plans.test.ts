import { expect, test } from "vitest";
import { bedroomCounts, floorPlans } from "#shared/content/floor-plans.ts";
import { planIds, plansWith } from "./plans.ts";

test("the plans and their bedrooms are those of the site", () => {
  expect(planIds).toEqual(floorPlans.map(({ id }) => id));
  for (const count of bedroomCounts) {
    const plans = floorPlans.filter(({ bedrooms }) => bedrooms === count);
    expect(plansWith(count)).toEqual(plans.map(({ id }) => id));
  }
});
