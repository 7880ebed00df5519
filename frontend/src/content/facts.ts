import type { Language } from "#i18n/language.ts";
import { findPlan, floorPlans } from "./floor-plans.ts";

/** Residential units in the two towers. */
export const residences = 706;

/** Storeys of the three towers, in the order in which they stand. */
export const towers = [62, 62, 36] as const;

/** Metres from the edge of the site to the metro stations. */
export const stationDistances = { first: 70, second: 320, third: 1500, fourth: 1700 } as const;

/** Metres from the edge of the site within which eateries and hospitals are. */
export const amenitiesDistance = 1500;

/** Metres from the edge of the site that are five and ten minutes on foot. */
export const walks = { five: 400, ten: 800 } as const;

/** What the texts name as `{{name}}`, as a reader sees it; by language where the languages differ. */
export const facts = {
  residences: written(residences),
  storeys: written(towers[0]),
  apartmentStoreys: written(towers[2]),
  plans: written(floorPlans.length),
  smallest: written(findPlan("A1").size),
  largest: written(findPlan("PH3").size),
  firstStation: written(stationDistances.first),
  secondStation: written(stationDistances.second),
  thirdStation: written(stationDistances.third / 1000),
  fourthStation: written(stationDistances.fourth / 1000),
  amenities: written(amenitiesDistance / 1000),
  walkFive: written(walks.five),
  walkTen: written(walks.ten),
  /** Minutes by car. */
  shopping: "8",
  leaseYears: "99",
  leaseStart: { en: "15\u00a0July\u00a02024", zh: "2024年7月15日" },
  facilities: "10",
} satisfies Record<string, string | Record<Language, string>>;

function written(figure: number): string {
  return figure.toLocaleString("en");
}
