import type { MouseEvent } from "react";
import { languageNames, languageTags, otherLanguage } from "#i18n/language.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { useLanguageSwitch } from "#i18n/use-language-switch.ts";
import { buttonRole } from "#ui/button-role.ts";
import { isPlainClick } from "#ui/is-plain-click.ts";

/** The server answers its address in the other language; with script it switches in place and keeps the form. */
export function LanguageToggle() {
  const other = otherLanguage(useLanguage());
  const { prepare, switchTo } = useLanguageSwitch();

  function switchInPlace(event: MouseEvent): void {
    if (isPlainClick(event)) {
      event.preventDefault();
      void switchTo(other);
    }
  }

  return (
    <a
      className="language"
      href={`?lang=${other}`}
      hrefLang={languageTags[other]}
      lang={languageTags[other]}
      // A finger enters as it touches, well before the click.
      onPointerEnter={() => prepare(other)}
      onFocus={() => prepare(other)}
      onClick={switchInPlace}
      {...buttonRole}
    >
      {languageNames[other]}
    </a>
  );
}
