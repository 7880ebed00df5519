import { useTranslation } from "react-i18next";
import { drawingsAreShared } from "#content/floor-plans.ts";

/** That a drawing is illustrative, and while units share drawings, that it may be another's. */
export function LayoutNote() {
  const { t } = useTranslation();
  const illustrative = t("plans.viewer.illustrative");
  return drawingsAreShared ? `${illustrative} · ${t("plans.standIns")}` : illustrative;
}
