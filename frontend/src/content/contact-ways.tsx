import { useTranslation } from "react-i18next";
import { project } from "./project.ts";

interface ContactWaysProps {
  /** What a message to us begins with. */
  message?: string;
  facts?: Pick<typeof project, "salesTelephone" | "whatsapp" | "wechat">;
}

/** How to reach us besides the form, as far as we can be reached: nothing where no way is known. */
export function ContactWays({ message = "", facts = project }: ContactWaysProps) {
  const { t } = useTranslation();
  const { salesTelephone, whatsapp, wechat } = facts;
  if (!hasContactWays(facts)) {
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

export function hasContactWays(facts: NonNullable<ContactWaysProps["facts"]> = project): boolean {
  return Boolean(facts.salesTelephone || facts.whatsapp || facts.wechat);
}

/** @param number in international form */
function whatsAppAddress(number: string, message: string): string {
  const text = message === "" ? "" : `?text=${encodeURIComponent(message)}`;
  return `https://wa.me/${number.replace(/\D/g, "")}${text}`;
}
