import type { FloorPlanId } from "#shared/content/floor-plans.ts";
import type { Language } from "#shared/i18n/language.ts";
import versions from "./privacy/versions.json" with { type: "json" };

/** A fact in each language, or the same text in both. */
export type Fact = string | Record<Language, string>;

/** A place nearby and its distance, such as "1.2 km". */
export interface Place {
  name: Fact;
  distance: Fact;
}

/** An announced fact, or `null`, which a release build rejects. */
const fact = (known: Fact | null) => known;
const places = (known: Place[] | null) => known;
/** An optional contact channel. */
const contact = (known?: string) => known;

export const project = {
  name: "Zyon Grand",
  /** Name of the joint venture company. */
  developer: fact(null),
  conceptArchitect: fact(null),
  projectArchitect: fact(null),
  landscapeArchitect: fact(null),
  licence: fact(null),
  lot: fact(null),
  vacantPossession: fact(null),
  legalCompletion: fact(null),
  schools: places(null),
  businessParks: places(null),
  showFlatAddress: fact(null),
  showFlatHours: fact(null),
  // Visitors accept the next two with the privacy policy: a change needs a new version of it.
  /** The contact for questions about personal data. */
  privacyContact: fact(null),
  /** The retention of leads, as the start of a sentence: "Two years after your last enquiry". */
  retention: fact(null),
  /** In international form. */
  salesPhone: contact(),
  /** The number of the WhatsApp account, in international form. */
  whatsapp: contact(),
  /** The name to search for in WeChat. */
  wechat: contact(),
};

/** The lowest price of a plan, such as "S$1,000,000", once it is announced. */
export const priceFrom: Partial<Record<FloorPlanId, string>> = {};

/**
 * The version of the privacy policy that the form asks to accept, named by its date. Each text that visitors accepted
 * stays in `privacy`. lead-intake rejects every version that `versions.json` does not list.
 */
export const privacyPolicyVersion = versions[0]?.version ?? "";

/** Drawings and texts that the owner has not confirmed yet. A release build rejects any entry. */
export const unconfirmed: readonly string[] = [
  "pictures",
  "river",
  "layouts",
  "dimensions",
  "brochure",
];

/** The questions on the home page. The last one is shown until the show flat is announced. */
export const questionIds = [
  "tenure",
  "homes",
  "metro",
  "site",
  "release",
  ...(project.showFlatAddress === null ? (["showFlat"] as const) : []),
] as const;

export function openFacts(facts: typeof project): string[] {
  return Object.entries(facts)
    .filter(([, value]) => value === null)
    .map(([name]) => name);
}
