import { useTranslation } from "react-i18next";
import type { FloorPlan } from "#content/floor-plans.ts";

/** How many bedrooms and bathrooms a unit has. */
export function Rooms({ of: { bedrooms, bathrooms } }: { of: FloorPlan }) {
  const { t } = useTranslation();
  return t("plans.rooms", {
    bedrooms: t("plans.bedrooms", { count: bedrooms }),
    bathrooms: t("plans.bathrooms", { count: bathrooms }),
  });
}
