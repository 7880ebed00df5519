import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { unbroken } from "#shared/ui/unbroken.tsx";
import { FloorPlanGrid } from "#site/features/floor-plans/floor-plan-grid.tsx";
import { CallToAction } from "#site/pages/call-to-action.tsx";
import "./floor-plans-page.css";

export function FloorPlansPage() {
  const { t } = useTranslation();
  return (
    <div id="plans">
      <div className="plans-head page-grid">
        <h1 className="plans-heading">{t("plans.heading")}</h1>
        <div className="plans-intro">
          <p className="lead">{unbroken(t("plans.subtitle"))}</p>
          <p className="plans-note small quiet">{t("plans.note")}</p>
        </div>
      </div>
      <FloorPlanGrid />
      <CallToAction of="visit" />
    </div>
  );
}
