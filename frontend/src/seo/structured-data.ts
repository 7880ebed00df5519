import { plans } from "#art/plans.ts";
import { residences } from "#content/facts.ts";
import { floorPlans } from "#content/floor-plans.ts";
import { project } from "#content/project.ts";
import { breakable } from "#i18n/breakable.ts";
import { defaultLanguage, type Language } from "#i18n/language.ts";
import type { Messages } from "#i18n/messages.ts";
import { href } from "#routes.ts";
import { socialPicture } from "./open-graph.ts";

/** UN/CEFACT's code for the square foot. */
const SQUARE_FOOT = "FTK";

/** The development in schema.org's terms: what the pages themselves say, from the same data. */
export function structuredData(language: Language, messages: Messages, origin: string) {
  return {
    "@context": "https://schema.org",
    "@type": "ApartmentComplex",
    // One thing, though several documents speak of it.
    "@id": `${origin}${href("home", defaultLanguage)}#development`,
    name: project.name,
    url: `${origin}${href("home", language)}`,
    description: messages.head.home.description,
    image: socialPicture(language, origin),
    ...(project.salesTelephone !== null && { telephone: project.salesTelephone }),
    numberOfAccommodationUnits: { "@type": "QuantitativeValue", value: residences },
    // Names alone: the facilities are not confirmed yet.
    amenityFeature: facilityNames(messages).map((name) => ({
      "@type": "LocationFeatureSpecification",
      name,
    })),
    accommodationFloorPlan: floorPlans.map((plan) => ({
      "@type": "FloorPlan",
      name: breakable(messages.plans.unit[plan.id].heading),
      description: breakable(messages.plans.unit[plan.id].text),
      numberOfBedrooms: plan.bedrooms,
      numberOfBathroomsTotal: plan.bathrooms,
      floorSize: { "@type": "QuantitativeValue", value: plan.size, unitCode: SQUARE_FOOT },
      layoutImage: new URL(plans[plan.id].large[language], origin).href,
    })),
  };
}

/** Structured data as the text of a `<script>`: no part of the text can end the element. */
export function structuredDataJson(data: object): string {
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}

function facilityNames(messages: Messages): string[] {
  return Object.values(messages.facilities).flatMap((text) =>
    typeof text === "string" ? [] : [breakable(text.heading)],
  );
}
