import type { Language } from "./language.ts";
import type { FirstMessages, Messages, OtherMessages } from "./messages.ts";
import { withFacts } from "./with-facts.ts";

/** Fetches the texts of a language; rejects when they cannot be had. */
export type LoadMessages = (language: Language) => Promise<Messages>;

const first: Record<Language, () => Promise<FirstMessages>> = {
  en: async () => (await import("./en-first.ts")).enFirst,
  zh: async () => (await import("./zh-first.ts")).zhFirst,
};

const others: Record<Language, () => Promise<OtherMessages>> = {
  en: async () => (await import("./en.ts")).en,
  zh: async () => (await import("./zh.ts")).zh,
};

/** Each language is in chunks of its own, so that a visitor pays for the one that is read. */
export async function loadFirstMessages(language: Language): Promise<FirstMessages> {
  return withFacts(language, await first[language]());
}

export const loadMessages: LoadMessages = async (language) => {
  const [screen, rest] = await Promise.all([first[language](), others[language]()]);
  return withFacts(language, { ...screen, ...rest });
};
