import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useLanguage } from "#i18n/use-language.ts";
import type { Fact } from "./project.ts";

/** Words a fact in the page's language, or says that it is to be announced. */
export function useFactText(): (fact: Fact | null) => ReactNode {
  const { t } = useTranslation();
  const language = useLanguage();
  return (fact) => {
    if (fact === null) {
      return <span className="to-be-announced">{t("toBeAnnounced")}</span>;
    }
    return typeof fact === "string" ? fact : fact[language];
  };
}
