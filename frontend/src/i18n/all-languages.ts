import { en } from "./en.ts";
import type { Language } from "./language.ts";
import { type Messages, withFacts } from "./messages.ts";
import { zh } from "./zh.ts";

/** Every language, for the prerender and tests. The client loads one language instead. */
export const messages: Record<Language, Messages> = {
  en: withFacts("en", en),
  zh: withFacts("zh", zh),
};
