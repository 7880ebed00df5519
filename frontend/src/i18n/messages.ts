import type { en } from "./en.ts";
import type { Language } from "./language.ts";
import { withFacts } from "./with-facts.ts";

/**
 * The shape of every language: the keys of English, each with a text. A text in the heading font has the key `heading`,
 * because the Chinese font contains the characters of those texts only.
 */
export type Messages = typeof en;

const loaders: Record<Language, () => Promise<Messages>> = {
  en: async () => (await import("./en.ts")).en,
  zh: async () => (await import("./zh.ts")).zh,
};

/** Fetches the texts of a language. Each language is a separate chunk. */
export async function loadMessages(language: Language): Promise<Messages> {
  return withFacts(language, await loaders[language]());
}
