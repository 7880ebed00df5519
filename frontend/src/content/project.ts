import type { Language } from "#i18n/language.ts";

/** Facts about the project. `null` means: not announced yet, and a release build refuses. What is optional may be absent for good. */
export const project: Project = {
  name: "Zyon Grand",
  developer: null,
  conceptArchitect: null,
  projectArchitect: null,
  landscapeArchitect: null,
  licence: null,
  lot: null,
  vacantPossession: null,
  legalCompletion: null,
  schools: null,
  businessParks: null,
  showFlatAddress: null,
  showFlatHours: null,
  privacyContact: null,
  retention: null,
};

/** A fact in the words of each language, or in the same words in both. */
export type Fact = string | Record<Language, string>;

export interface Project {
  name: string;
  /** Name of the joint venture company. */
  developer: Fact | null;
  conceptArchitect: Fact | null;
  projectArchitect: Fact | null;
  landscapeArchitect: Fact | null;
  /** The developer's licence number. */
  licence: Fact | null;
  /** Lot number of the land. */
  lot: Fact | null;
  /** Expected date of vacant possession. */
  vacantPossession: Fact | null;
  /** Expected date of legal completion. */
  legalCompletion: Fact | null;
  schools: Place[] | null;
  businessParks: Place[] | null;
  /** In international form, as it is dialled. */
  salesTelephone?: string;
  /** The number that WhatsApp knows, in international form. */
  whatsapp?: string;
  /** The name to search for in WeChat. */
  wechat?: string;
  showFlatAddress: Fact | null;
  showFlatHours: Fact | null;
  /** Whom to ask about personal data, and how. */
  privacyContact: Fact | null;
  /** How long leads are kept, as a sentence begins: "Two years after your last enquiry". */
  retention: Fact | null;
}

/** A place nearby and how far it is, such as "1.2 km". */
export interface Place {
  name: Fact;
  distance: Fact;
}

/** Changes whenever the text of the privacy policy changes; a test holds the two together. */
export const privacyPolicyVersion = "2026-11-25";

/**
 * What is drawn or written without the owner: a release build refuses as long as anything stands here. An entry goes once
 * the owner has given or confirmed it.
 */
export const unconfirmed: readonly string[] = [
  "pictures",
  "river",
  "layouts",
  "dimensions",
  "brochure",
];

/** The names of the facts that are still to be announced. */
export function openFacts(facts: Project): string[] {
  return Object.entries(facts)
    .filter(([, value]) => value === null)
    .map(([name]) => name);
}
