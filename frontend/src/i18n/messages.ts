import type { i18n } from "i18next";
import { facts } from "#content/facts.ts";
import type { texts as floorPlans } from "./en/floor-plans.ts";
import type { texts as home } from "./en/home.ts";
import type { texts as site } from "./en/site.ts";
import type { Language } from "./language.ts";

/** The keys of English. A text in the heading font has the key `heading`: the Chinese font is cut down to those. */
export type Messages = typeof site & typeof home & typeof floorPlans;

/** The texts that every page needs, and those of one page. Each part is a chunk in each language. */
const loaders = {
  en: {
    site: () => import("./en/site.ts"),
    home: () => import("./en/home.ts"),
    floorPlans: () => import("./en/floor-plans.ts"),
  },
  zh: {
    site: () => import("./zh/site.ts"),
    home: () => import("./zh/home.ts"),
    floorPlans: () => import("./zh/floor-plans.ts"),
  },
};

type Part = keyof (typeof loaders)["en"];

export async function loadMessages(
  language: Language,
  ...parts: Part[]
): Promise<Partial<Messages>> {
  const loaded = await Promise.all(parts.map((part) => loaders[language][part]()));
  return withFacts(language, Object.assign({}, ...loaded.map(({ texts }) => texts)));
}

/** Adds texts to those that are loaded: all of a language, or those of a page in the language of the reader. */
export async function addMessages(to: i18n, language: Language, ...parts: Part[]): Promise<void> {
  to.addResourceBundle(language, "translation", await loadMessages(language, ...parts));
}

/** Puts the facts into texts that name them, as `{{residences}}`. i18next fills the other names when a text is used. */
export function withFacts<Texts>(language: Language, texts: Texts): Texts {
  const known: Record<string, string | Record<Language, string>> = facts;
  return JSON.parse(JSON.stringify(texts), (_key, text) =>
    typeof text === "string"
      ? text.replace(/\{\{(\w+)\}\}/g, (mark, name) => {
          const fact = known[name] ?? mark;
          return typeof fact === "string" ? fact : fact[language];
        })
      : text,
  );
}
