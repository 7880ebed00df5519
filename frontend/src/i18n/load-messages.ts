import type { Language } from "./language.ts";
import type { Messages } from "./messages.ts";

/** Fetches the texts of a language; rejects when they cannot be had. */
export type LoadMessages = (language: Language) => Promise<Messages>;

const chunks: Record<Language, () => Promise<Messages>> = {
  en: async () => (await import("./en.ts")).en,
  zh: async () => (await import("./zh.ts")).zh,
};

/** Each language is a chunk of its own, so that a visitor pays for the one that is read. */
export const loadMessages: LoadMessages = (language) => chunks[language]();
