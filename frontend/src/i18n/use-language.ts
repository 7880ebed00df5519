import { useTranslation } from "react-i18next";
import { type Language, languageOf } from "./language.ts";

/** The language in which the page is shown. */
export function useLanguage(): Language {
  return languageOf(useTranslation().i18n.language);
}
