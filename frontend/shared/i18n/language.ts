/** The languages of the site, the default first. */
export const languages = ["en", "zh"] as const;

export type Language = (typeof languages)[number];

export const defaultLanguage: Language = languages[0];

/** The value of `<html lang>` and of `hreflang`. */
export const languageTags = { en: "en", zh: "zh-Hans" } as const satisfies Record<Language, string>;

export const languageNames: Record<Language, string> = { en: "English", zh: "中文" };

/** Reads a language tag such as `zh-Hans` or `zh_CN`; anything unknown is English. */
export function languageOf(tag: string): Language {
  return /^zh(?![a-z0-9])/i.test(tag) ? "zh" : "en";
}

export function otherLanguage(language: Language): Language {
  return language === "en" ? "zh" : "en";
}
