import type { Language } from "#shared/i18n/language.ts";
import { texts as enFloorPlans } from "./en/floor-plans.ts";
import { texts as enHome } from "./en/home.ts";
import { texts as enSite } from "./en/site.ts";
import { type Messages, withFacts } from "./messages.ts";
import { texts as zhFloorPlans } from "./zh/floor-plans.ts";
import { texts as zhHome } from "./zh/home.ts";
import { texts as zhSite } from "./zh/site.ts";

/** Every text, with placeholders for facts. */
export const texts: Record<Language, Messages> = {
  en: { ...enSite, ...enHome, ...enFloorPlans },
  zh: { ...zhSite, ...zhHome, ...zhFloorPlans },
};

/** Every text, for the prerender and tests. The client loads the parts of one language that its page needs. */
export const messages: Record<Language, Messages> = {
  en: withFacts("en", texts.en),
  zh: withFacts("zh", texts.zh),
};
