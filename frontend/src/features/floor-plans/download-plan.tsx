import { useTranslation } from "react-i18next";
import { type FloorPlan, planFile } from "#content/floor-plans.ts";
import { breakable } from "#i18n/breakable.ts";
import { useLanguage } from "#i18n/use-language.ts";
import "#ui/button.css";

interface DownloadPlanProps {
  of: FloorPlan;
  name: string;
  /** Whether there are files to download; otherwise pressing it only logs. */
  downloads: boolean;
}

export function DownloadPlan({ of: { id }, name, downloads }: DownloadPlanProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const look = "button button-small plan-download";
  // Begins with the visible text, so that it can be spoken to.
  const label = t("plans.downloadOf", { name });
  return downloads ? (
    <a className={look} href={planFile(id, language)} aria-label={label} download>
      {t("plans.download")}
    </a>
  ) : (
    <button
      className={look}
      type="button"
      aria-label={label}
      onClick={() => console.log(`Download plan: ${breakable(name)} (${id})`)}
    >
      {t("plans.download")}
    </button>
  );
}
