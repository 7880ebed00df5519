import { useTranslation } from "react-i18next";
import { type FloorPlan, floorPlans, withThousands } from "#content/floor-plans.ts";

const LARGEST = Math.max(...floorPlans.map(({ size }) => size));

/** The size of a unit, with its number larger than its unit of measure. */
export function Area({ of: { size } }: { of: FloorPlan }) {
  const { t } = useTranslation();
  return (
    <p className="plan-area unbroken">
      {withThousands(size)}
      {"\u00a0"}
      <small>{t("plans.areaUnit")}</small>
    </p>
  );
}

export function Rooms({ of: { bedrooms, bathrooms } }: { of: FloorPlan }) {
  const { t } = useTranslation();
  return (
    <p className="plan-rooms">
      {t("plans.rooms", {
        bedrooms: t("plans.bedrooms", { count: bedrooms }),
        bathrooms: t("plans.bathrooms", { count: bathrooms }),
      })}
    </p>
  );
}

/** A line whose marked part is a unit's area beside that of the largest. */
export function ScaleLine({ of: { size } }: { of: FloorPlan }) {
  const share = Math.round((1000 * size) / LARGEST);
  return (
    <svg className="scale-line" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">
      <path className="scale-line-whole" d="M0 7.5H1000" />
      <path className="scale-line-part" d={`M0 7.5H${share}V0`} />
    </svg>
  );
}
