import { en } from "./en.ts";
import { enFirst } from "./en-first.ts";
import type { Language } from "./language.ts";
import type { Messages } from "./messages.ts";
import { withFacts } from "./with-facts.ts";
import { zh } from "./zh.ts";
import { zhFirst } from "./zh-first.ts";

/** Every language at once, for documents and tests. The client never imports this: it loads one language. */
export const messages: Record<Language, Messages> = {
  en: withFacts("en", { ...enFirst, ...en }),
  zh: withFacts("zh", { ...zhFirst, ...zh }),
};
