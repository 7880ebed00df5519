import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useLanguage } from "#i18n/use-language.ts";
import { type Fact, project } from "./project.ts";

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

/**
 * How to reach us besides the form, as far as we can be reached: nothing where no way is known.
 * @param message how a message to us begins
 */
export function ContactWays({ message }: { message: string }) {
  const { t } = useTranslation();
  const { salesTelephone, whatsapp, wechat } = project;
  if (!hasContactWays()) {
    return null;
  }
  return (
    <ul className="contact-ways stack">
      {salesTelephone && (
        <li>
          {t("ways.telephone")}{" "}
          <a href={`tel:${salesTelephone.replaceAll(" ", "")}`}>{salesTelephone}</a>
        </li>
      )}
      {whatsapp && (
        <li>
          <a href={whatsAppAddress(whatsapp, message)} target="_blank" rel="noreferrer">
            {t("ways.whatsapp")}
          </a>
        </li>
      )}
      {wechat && (
        <li>
          {t("ways.wechat")} <b>{wechat}</b>
        </li>
      )}
    </ul>
  );
}

export function hasContactWays(): boolean {
  return Boolean(project.salesTelephone || project.whatsapp || project.wechat);
}

/** @param number in international form */
function whatsAppAddress(number: string, message: string): string {
  return `https://wa.me/${number.replace(/\D/g, "")}?text=${encodeURIComponent(message)}`;
}
