import { useTranslation } from "react-i18next";
import { project } from "#content/project.ts";

export function SalesTelephone() {
  const { t } = useTranslation();
  const number = project.salesTelephone;
  if (number === null) {
    return <span>{t("contact.toBeAnnounced")}</span>;
  }
  return <a href={`tel:${number.replaceAll(" ", "")}`}>{number}</a>;
}
