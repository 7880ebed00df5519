import { facts } from "#content/facts.ts";
import type { en } from "./en.ts";
import type { Language } from "./language.ts";

/** The keys of English. A text in the heading font has the key `heading`: the Chinese font is cut down to those. */
export type Messages = typeof en;

const loaders: Record<Language, () => Promise<Messages>> = {
  en: async () => (await import("./en.ts")).en,
  zh: async () => (await import("./zh.ts")).zh,
};

/** Fetches the texts of a language. Each language is a separate chunk. */
export async function loadMessages(language: Language): Promise<Messages> {
  return withFacts(language, await loaders[language]());
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
