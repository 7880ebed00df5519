// @vitest-environment node

import { describe, expect, it } from "vitest";
import { plans } from "#art/plans.ts";
import { floorPlans } from "#content/floor-plans.ts";
import { project } from "#content/project.ts";
import { messages } from "#i18n/all-languages.ts";
import { structuredData, structuredDataJson } from "./structured-data.ts";

const { en, zh } = messages;

/** The properties that schema.org gives each type, as far as they are used here. */
const vocabulary: Record<string, string[]> = {
  ApartmentComplex: [
    "@context",
    "@id",
    "name",
    "url",
    "description",
    "image",
    "telephone",
    "amenityFeature",
    "numberOfAccommodationUnits",
    "accommodationFloorPlan",
  ],
  FloorPlan: [
    "name",
    "description",
    "numberOfBedrooms",
    "numberOfBathroomsTotal",
    "floorSize",
    "layoutImage",
  ],
  LocationFeatureSpecification: ["name", "value"],
  QuantitativeValue: ["value", "unitCode"],
};

const origin = "https://zyon.example";

describe.each([
  { language: "en", messages: en, home: "https://zyon.example/" },
  { language: "zh", messages: zh, home: "https://zyon.example/?lang=zh" },
] as const)("structured data in $language", ({ language, messages, home }) => {
  const data = structuredData(language, messages, origin);

  it("speaks schema.org's words alone", () => {
    expect(data["@context"]).toBe("https://schema.org");
    for (const thing of things(data)) {
      expect(Object.keys(vocabulary)).toContain(thing["@type"]);
      const { "@type": type, ...properties } = thing;
      expect(vocabulary[type as string]).toEqual(expect.arrayContaining(Object.keys(properties)));
    }
  });

  it("describes the development", () => {
    expect(data).toMatchObject({
      "@type": "ApartmentComplex",
      "@id": "https://zyon.example/#development",
      name: "Zyon Grand",
      url: home,
      numberOfAccommodationUnits: { value: 706 },
    });
    expect(data.amenityFeature).toHaveLength(10);
    expect(data.telephone).toBe(project.salesTelephone ?? undefined);
  });

  it("holds the twelve plans as the cards show them", () => {
    expect(data.accommodationFloorPlan).toEqual(
      floorPlans.map(({ id, size, bedrooms, bathrooms }) => ({
        "@type": "FloorPlan",
        name: messages.plans.unit[id].heading.replace("\u00a0", " "),
        description: messages.plans.unit[id].text.replaceAll("\u00a0", " "),
        numberOfBedrooms: bedrooms,
        numberOfBathroomsTotal: bathrooms,
        floorSize: { "@type": "QuantitativeValue", value: size, unitCode: "FTK" },
        layoutImage: `${origin}${plans[id].large[language]}`,
      })),
    );
    expect(data.accommodationFloorPlan).toHaveLength(12);
  });
});

it("structured data cannot end its element", () => {
  const json = structuredDataJson({ name: "</script>" });
  expect(json).toBe('{"name":"\\u003c/script>"}');
});

/** Every typed object in the data. */
function things(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const inside = Object.values(value).flatMap(things);
  return Array.isArray(value) ? inside : [value as Record<string, unknown>, ...inside];
}
