import type { Language } from "#shared/i18n/language.ts";

/** The twelve units, from the smallest to the largest; sizes in square feet. Names and descriptions are texts. */
export const floorPlans = [
  { id: "A1", type: "one", size: 527, bedrooms: 1, bathrooms: 1 },
  { id: "A2", type: "one", size: 581, bedrooms: 1, bathrooms: 1 },
  { id: "A3", type: "one", size: 614, bedrooms: 1, bathrooms: 1 },
  { id: "B1", type: "two", size: 721, bedrooms: 2, bathrooms: 2 },
  { id: "B2", type: "two", size: 829, bedrooms: 2, bathrooms: 2 },
  { id: "C1", type: "three", size: 1119, bedrooms: 3, bathrooms: 2 },
  { id: "C2N", type: "three", size: 1324, bedrooms: 3, bathrooms: 3 },
  { id: "D1", type: "four", size: 1636, bedrooms: 4, bathrooms: 3 },
  { id: "D2", type: "four", size: 1733, bedrooms: 4, bathrooms: 4 },
  { id: "PH1", type: "penthouse", size: 2616, bedrooms: 5, bathrooms: 4 },
  { id: "PH2", type: "penthouse", size: 2745, bedrooms: 5, bathrooms: 5 },
  { id: "PH3", type: "penthouse", size: 2874, bedrooms: 5, bathrooms: 5 },
] as const;

/** A number such as 1,119. Without `Intl`, which takes 25 ms of a phone's first load. */
export function withThousands(figure: number): string {
  return String(figure).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function squareMetres({ size }: FloorPlan): number {
  return Math.round(size * 0.092903);
}

export const bedroomCounts = [...new Set(floorPlans.map(({ bedrooms }) => bedrooms))];

/** Parses the id of a plan, such as a part of an address. */
export function planNamed(text: string | null): FloorPlanId | null {
  return floorPlans.find(({ id }) => id === text)?.id ?? null;
}

export function findPlan(id: FloorPlanId): FloorPlan {
  return floorPlans.find((plan) => plan.id === id) as FloorPlan;
}

/** Path of the sheet that 'Download Plan' downloads if the build offers downloads. */
export function planFile(id: string, language: Language): string {
  return `/plans/${id.toLowerCase()}-${language}.pdf`;
}

/** Path of the picture beside a shared link to a plan, which art/social.mjs draws. The path survives deployments. */
export function planPicture(id: string, language: Language): string {
  return `/social/${id.toLowerCase()}-${language}.jpg`;
}

export type FloorPlan = (typeof floorPlans)[number];

export type FloorPlanId = FloorPlan["id"];
