import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { type Language, languageOf } from "./language.ts";

export function useLanguage(): Language {
  return languageOf(useTranslation().i18n.language);
}
