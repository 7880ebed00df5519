import type { i18n } from "i18next";
import type { Language } from "#shared/i18n/language.ts";
import { facts } from "#site/content/facts.ts";
import type { texts as floorPlans } from "./en/floor-plans.ts";
import type { texts as home } from "./en/home.ts";
import { texts as enSite } from "./en/site.ts";
import { texts as zhSite } from "./zh/site.ts";

/** The keys of English. Texts in the heading font have the key `heading`, and the Chinese font contains only their characters. */
export type Messages = typeof enSite & typeof home & typeof floorPlans;

/** The texts that every page needs, in both languages, because each page offers the other language. */
const siteTexts = { en: enSite, zh: zhSite };

/** The texts of each page, which are a chunk in each language. */
const loaders = {
  en: {
    home: () => import("./en/home.ts"),
    floorPlans: () => import("./en/floor-plans.ts"),
  },
  zh: {
    home: () => import("./zh/home.ts"),
    floorPlans: () => import("./zh/floor-plans.ts"),
  },
};

type Part = keyof (typeof loaders)["en"];

/** The texts of every page, and those of the given pages. */
export async function loadMessages(
  language: Language,
  ...parts: Part[]
): Promise<Partial<Messages>> {
  const loaded = await Promise.all(parts.map((part) => loaders[language][part]()));
  const texts = Object.assign({}, siteTexts[language], ...loaded.map(({ texts }) => texts));
  return withFacts(language, texts);
}

/** Adds texts to an instance: all texts of a language, or one page's texts in the current language. */
export async function addMessages(to: i18n, language: Language, ...parts: Part[]): Promise<void> {
  to.addResourceBundle(language, "translation", await loadMessages(language, ...parts));
}

/** Replaces placeholders of facts, such as `{{residences}}`. i18next replaces the others when a text is used. */
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
