import type { Language } from "#i18n/language.ts";
import type { FloorPlanId } from "./floor-plans.ts";
import versions from "./privacy/versions.json" with { type: "json" };

/** A fact in the words of each language, or in the same words in both. */
export type Fact = string | Record<Language, string>;

/** A place nearby and how far it is, such as "1.2 km". */
export interface Place {
  name: Fact;
  distance: Fact;
}

/** A fact that is announced, or `null`: a release build refuses it. */
const fact = (known: Fact | null) => known;
const places = (known: Place[] | null) => known;
/** A way to reach us that may be absent for good. */
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
  /** Whom to ask about personal data, and how. */
  privacyContact: fact(null),
  /** How long leads are kept, as a sentence begins: "Two years after your last enquiry". */
  retention: fact(null),
  /** In international form, as it is dialled. */
  salesPhone: contact(),
  /** The number that WhatsApp knows, in international form. */
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

/** What is drawn or written without the owner, who has yet to confirm it. A release build refuses any entry. */
export const unconfirmed: readonly string[] = [
  "pictures",
  "river",
  "layouts",
  "dimensions",
  "brochure",
];

/** The questions that the home page answers; the last until the show flat is announced. */
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
