import { facts } from "#content/facts.ts";
import type { Language } from "./language.ts";

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
