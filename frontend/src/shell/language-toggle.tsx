import type { MouseEvent } from "react";
import { languageNames, languageTags, otherLanguage } from "#i18n/language.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { useLanguageSwitch } from "#i18n/use-language-switch.ts";
import { buttonRole, isPlainClick } from "#ui/link-events.ts";

/** The server sends its address in the other language; with script it switches in place and keeps the form. */
export function LanguageToggle() {
  const other = otherLanguage(useLanguage());
  const { address, switchLanguage } = useLanguageSwitch(other);

  function switchInPlace(event: MouseEvent): void {
    if (isPlainClick(event)) {
      event.preventDefault();
      void switchLanguage();
    }
  }

  return (
    <a
      className="language"
      href={address}
      hrefLang={languageTags[other]}
      lang={languageTags[other]}
      onClick={switchInPlace}
      // A document is the same for every query that the server does not read.
      suppressHydrationWarning
      {...buttonRole}
    >
      {languageNames[other]}
    </a>
  );
}
