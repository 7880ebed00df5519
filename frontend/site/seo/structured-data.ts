import { floorPlans, planPicture } from "#shared/content/floor-plans.ts";
import { defaultLanguage, type Language } from "#shared/i18n/language.ts";
import { residences } from "#site/content/facts.ts";
import { project, questionIds } from "#site/content/project.ts";
import { breakable } from "#site/i18n/breakable.ts";
import type { Messages } from "#site/i18n/messages.ts";
import { href } from "#site/routes.ts";

/** UN/CEFACT's code for the square foot. */
const SQUARE_FOOT = "FTK";

export function socialPicture(language: Language, origin: string): string {
  return `${origin}/social-${language}.jpg`;
}

/** The development and its developer as schema.org data, from the same source as the pages. */
export function structuredData(language: Language, messages: Messages, origin: string) {
  const home = `${origin}${href("home", defaultLanguage)}`;
  const telephone = project.salesPhone && { telephone: project.salesPhone };
  const development = {
    "@type": "ApartmentComplex",
    // One id in all documents.
    "@id": `${home}#development`,
    name: project.name,
    url: `${origin}${href("home", language)}`,
    description: messages.head.home.description,
    image: socialPicture(language, origin),
    ...telephone,
    address: { "@type": "PostalAddress", addressLocality: "Singapore", addressCountry: "SG" },
    numberOfAccommodationUnits: { "@type": "QuantitativeValue", value: residences },
    // Only names, because the facilities are not confirmed yet.
    amenityFeature: Object.values(messages.facilities).flatMap((facility) =>
      typeof facility === "string"
        ? []
        : [{ "@type": "LocationFeatureSpecification", name: breakable(facility.heading) }],
    ),
    accommodationFloorPlan: floorPlans.map((plan) => ({
      "@type": "FloorPlan",
      name: breakable(messages.unit[plan.id].heading),
      description: breakable(messages.plans.about[plan.id]),
      numberOfBedrooms: plan.bedrooms,
      numberOfBathroomsTotal: plan.bathrooms,
      floorSize: { "@type": "QuantitativeValue", value: plan.size, unitCode: SQUARE_FOOT },
      layoutImage: `${origin}${planPicture(plan.id, language)}`,
    })),
  };
  const { developer } = project;
  const organisation = {
    "@type": "Organization",
    "@id": `${home}#developer`,
    // The description on the pages, until the name is announced.
    ...(developer === null
      ? { description: messages.information.developerText }
      : { name: typeof developer === "string" ? developer : developer[language] }),
    url: home,
    logo: `${origin}/icon-512.png`,
    ...telephone,
  };
  return { "@context": "https://schema.org", "@graph": [development, organisation] as const };
}

/** The questions of the home page with their answers. */
export function questionsData({ questions }: Messages) {
  return {
    "@context": "https://schema.org",
    "@type": "FAQPage",
    mainEntity: questionIds.map((id) => ({
      "@type": "Question",
      name: breakable(questions[id].question),
      acceptedAnswer: { "@type": "Answer", text: breakable(questions[id].answer) },
    })),
  };
}

/** Structured data as the text of a `<script>`, which the text cannot close. */
export function structuredDataJson(data: object): string {
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}
