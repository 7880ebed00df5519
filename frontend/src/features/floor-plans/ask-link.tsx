import { useTranslation } from "react-i18next";
import type { FloorPlanId } from "#content/floor-plans.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { anchors, href } from "#routes.ts";
import { Link } from "#ui/link.tsx";
import "#ui/button.css";

/** To the form, which then asks about this plan. */
export function AskLink({ about, name }: { about: FloorPlanId; name: string }) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <Link
      className="button button-small"
      to={`${href("home", language, { ask: about })}#${anchors.form}`}
      aria-label={t("plans.askOf", { name })}
    >
      {t("plans.ask")}
    </Link>
  );
}
