import { useTranslation } from "react-i18next";
import { useLanguage } from "#i18n/use-language.ts";
import { type Fact, project } from "./project.ts";

/** Words a fact in the page's language, or says that it is to be announced. */
export function useFactText(): (fact: Fact | null) => React.ReactNode {
  const { t } = useTranslation();
  const language = useLanguage();
  return (fact) => {
    if (fact === null) {
      return <span className="to-be-announced">{t("toBeAnnounced")}</span>;
    }
    return typeof fact === "string" ? fact : fact[language];
  };
}

interface ContactWaysProps {
  /** How a message to us begins. */
  message: string;
  /** A sentence before the ways. */
  intro?: string;
}

/** How to reach us besides the form, as far as we can be reached: nothing where no way is known. */
export function ContactWays({ message, intro }: ContactWaysProps) {
  const { t } = useTranslation();
  const { salesPhone, whatsapp, wechat } = project;
  if (!salesPhone && !whatsapp && !wechat) {
    return null;
  }
  const text = encodeURIComponent(message);
  const whatsAppAddress = `https://wa.me/${whatsapp?.replace(/\D/g, "")}?text=${text}`;
  return (
    <>
      {intro && <p>{intro}</p>}
      <ul className="contact-ways stack">
        {salesPhone && (
          <li>
            {t("ways.phone")} <a href={`tel:${salesPhone.replaceAll(" ", "")}`}>{salesPhone}</a>
          </li>
        )}
        {whatsapp && (
          <li>
            <a href={whatsAppAddress} target="_blank" rel="noreferrer">
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
    </>
  );
}
