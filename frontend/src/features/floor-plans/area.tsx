import { useTranslation } from "react-i18next";
import type { FloorPlan } from "#content/floor-plans.ts";

/** The size of a unit, its number larger than its unit of measure. */
export function Area({ of: { size } }: { of: FloorPlan }) {
  const { t } = useTranslation();
  return (
    <>
      {size.toLocaleString("en")}
      {"\u00a0"}
      <small>{t("plans.areaUnit")}</small>
    </>
  );
}
