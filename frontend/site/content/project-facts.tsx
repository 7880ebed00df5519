import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { type Fact, project } from "./project.ts";

/** A fact in the language of the page, or "to be announced". */
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
  /** The first words of a WhatsApp message. */
  message: string;
  /** A sentence before the channels. */
  intro?: string;
}

/** Phone, WhatsApp and WeChat of the sales team, or nothing if all are unknown. */
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
