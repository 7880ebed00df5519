import { useTranslation } from "react-i18next";
import { useLanguage } from "#i18n/use-language.ts";
import type { Fact } from "./project.ts";

/** A fact of the project in the page's language, or that it is to be announced. */
export function FactText({ fact }: { fact: Fact | null }) {
  const { t } = useTranslation();
  const language = useLanguage();
  if (fact === null) {
    return <span className="to-be-announced">{t("toBeAnnounced")}</span>;
  }
  return typeof fact === "string" ? fact : fact[language];
}
