import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import { recordLanguageChoice } from "#i18n/choose-language.ts";
import { languageNames, languageTags, otherLanguage } from "#i18n/language.ts";
import { useLanguage } from "#i18n/use-language.ts";

/** A link that the server answers in the other language; with script it switches in place and keeps the form. */
export function LanguageToggle() {
  const { i18n } = useTranslation();
  const other = otherLanguage(useLanguage());

  function switchInPlace(event: MouseEvent): void {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return;
    }
    event.preventDefault();
    recordLanguageChoice(other);
    void i18n.changeLanguage(other);
  }

  return (
    <a
      className="language"
      href={`?lang=${other}`}
      hrefLang={languageTags[other]}
      lang={languageTags[other]}
      onClick={switchInPlace}
    >
      {languageNames[other]}
    </a>
  );
}
