// @vitest-environment node

import { describe, expect, it } from "vitest";
import { floorPlans } from "#shared/content/floor-plans.ts";
import { project } from "#site/content/project.ts";
import { messages } from "#site/i18n/all-languages.ts";
import { questionsData, structuredData, structuredDataJson } from "./structured-data.ts";

const { en, zh } = messages;

/** The schema.org properties of each type that the site uses. */
const vocabulary: Record<string, string[]> = {
  ApartmentComplex: [
    "@id",
    "name",
    "url",
    "address",
    "description",
    "image",
    "telephone",
    "amenityFeature",
    "numberOfAccommodationUnits",
    "accommodationFloorPlan",
  ],
  Organization: ["@id", "name", "description", "url", "logo", "telephone"],
  PostalAddress: ["addressLocality", "addressCountry"],
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
  FAQPage: ["@context", "mainEntity"],
  Question: ["name", "acceptedAnswer"],
  Answer: ["text"],
};

const origin = "https://zyon.example";

describe.each([
  { language: "en", messages: en, home: "https://zyon.example/" },
  { language: "zh", messages: zh, home: "https://zyon.example/?lang=zh" },
] as const)("structured data in $language", ({ language, messages, home }) => {
  const data = structuredData(language, messages, origin);
  const [development, organisation] = data["@graph"];

  it("uses only schema.org types and properties", () => {
    expect(data["@context"]).toBe("https://schema.org");
    for (const object of typedObjects([data["@graph"], questionsData(messages)])) {
      expect(Object.keys(vocabulary)).toContain(object["@type"]);
      const { "@type": type, ...properties } = object;
      expect(vocabulary[type as string]).toEqual(expect.arrayContaining(Object.keys(properties)));
    }
  });

  it("describes the development", () => {
    expect(development).toMatchObject({
      "@type": "ApartmentComplex",
      "@id": "https://zyon.example/#development",
      name: "Zyon Grand",
      url: home,
      address: { addressLocality: "Singapore", addressCountry: "SG" },
      numberOfAccommodationUnits: { value: 706 },
    });
    expect(development.amenityFeature).toHaveLength(10);
  });

  it("has the questions and answers of the home page", () => {
    const [first, ...others] = questionsData(messages).mainEntity;
    expect(first?.acceptedAnswer.text).toMatch(/15 July 2024|2024年7月15日/);
    expect(others).toHaveLength(5);
  });

  it("describes the developer without inventing a name", () => {
    expect(project.developer).toBeNull();
    expect(organisation).toEqual({
      "@type": "Organization",
      "@id": "https://zyon.example/#developer",
      description: messages.information.developerText,
      url: "https://zyon.example/",
      logo: "https://zyon.example/icon-512.png",
    });
  });

  it("omits facts that are absent", () => {
    expect(Object.values(structuredData(language, messages, origin)["@graph"][0])).not.toContain(
      undefined,
    );
  });

  it("has the twelve plans as the cards show them", () => {
    expect(development.accommodationFloorPlan).toEqual(
      floorPlans.map(({ id, size, bedrooms, bathrooms }) => ({
        "@type": "FloorPlan",
        name: messages.unit[id].heading.replace("\u00a0", " "),
        description: messages.plans.about[id].replaceAll("\u00a0", " "),
        numberOfBedrooms: bedrooms,
        numberOfBathroomsTotal: bathrooms,
        floorSize: { "@type": "QuantitativeValue", value: size, unitCode: "FTK" },
        layoutImage: `${origin}/social/${id.toLowerCase()}-${language}.jpg`,
      })),
    );
    expect(development.accommodationFloorPlan).toHaveLength(12);
  });
});

it("structured data cannot close its script element", () => {
  const json = structuredDataJson({ name: "</script>" });
  expect(json).toBe('{"name":"\\u003c/script>"}');
});

/** Every typed object in the data. */
function typedObjects(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const inside = Object.values(value).flatMap(typedObjects);
  return Array.isArray(value) ? inside : [value as Record<string, unknown>, ...inside];
}
