import { findPlan, floorPlans, withThousands } from "#shared/content/floor-plans.ts";
import type { Language } from "#shared/i18n/language.ts";

export const residences = 706;

/** Storeys of the three towers, in the order of their position. */
export const towers = [62, 62, 36] as const;

/** Metres from the edge of the site to the metro stations. */
export const stationDistances = { first: 70, second: 320, third: 1500, fourth: 1700 } as const;

/** Metres from the edge of the site within which there are eateries and hospitals. */
export const amenitiesDistance = 1500;

/** Metres from the edge of the site that are five and ten minutes on foot. */
export const walks = { five: 400, ten: 800 } as const;

/** The values of `{{name}}` in texts, by language where the languages differ. */
export const facts = {
  residences: withThousands(residences),
  storeys: withThousands(towers[0]),
  apartmentStoreys: withThousands(towers[2]),
  plans: withThousands(floorPlans.length),
  smallest: withThousands(findPlan("A1").size),
  largest: withThousands(findPlan("PH3").size),
  firstStation: withThousands(stationDistances.first),
  secondStation: withThousands(stationDistances.second),
  thirdStation: withThousands(stationDistances.third / 1000),
  fourthStation: withThousands(stationDistances.fourth / 1000),
  amenities: withThousands(amenitiesDistance / 1000),
  walkFive: withThousands(walks.five),
  walkTen: withThousands(walks.ten),
  /** Minutes by car. */
  shopping: "8",
  leaseYears: "99",
  leaseStart: { en: "15\u00a0July\u00a02024", zh: "2024年7月15日" },
  facilities: "10",
} satisfies Record<string, string | Record<Language, string>>;
