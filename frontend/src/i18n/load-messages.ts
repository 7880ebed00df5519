import type { Language } from "./language.ts";
import type { Messages } from "./messages.ts";
import { withFacts } from "./with-facts.ts";

/** Fetches the texts of a language; rejects when they cannot be had. */
export type LoadMessages = (language: Language) => Promise<Messages>;

const chunks: Record<Language, () => Promise<Messages>> = {
  en: async () => withFacts("en", (await import("./en.ts")).en),
  zh: async () => withFacts("zh", (await import("./zh.ts")).zh),
};

/** Each language is a chunk of its own, so that a visitor pays for the one that is read. */
export const loadMessages: LoadMessages = (language) => chunks[language]();
