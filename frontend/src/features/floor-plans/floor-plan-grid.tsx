import { ComparePlans } from "./compare-plans.tsx";
import { FloorPlanCard } from "./floor-plan-card.tsx";
import "./floor-plan-grid.css";
import { PlanDialog } from "./plan-dialog.tsx";
import { usePlansAddress } from "./plans-address.ts";
import { PlansTable } from "./plans-table.tsx";

/** The units as a table and as cards, all or those with one number of bedrooms; one of them may be shown large. */
export function FloorPlanGrid() {
  const { shown, large } = usePlansAddress();
  return (
    <>
      <PlansTable />
      <div className="plan-grid pair section-end page-width">
        {shown.map((plan) => (
          <FloorPlanCard key={plan.id} plan={plan} />
        ))}
      </div>
      <ComparePlans />
      {large && <PlanDialog plan={large} among={shown} />}
    </>
  );
}
