import { Link } from "react-router-dom";
import {
  bedroomCounts,
  floorPlans,
  squareMetres,
  withThousands,
} from "#shared/content/floor-plans.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import type { EntryState } from "#site/history-entry.ts";
import { ComparePlans, CompareTray } from "./compare-plans.tsx";
import { FloorPlanCard } from "./floor-plan-card.tsx";
import "./floor-plan-grid.css";
import { PlanLink } from "./plan-actions.tsx";
import { PlanDialog } from "./plan-dialog.tsx";
import { usePlansAddress } from "./plans-address.ts";
import "./plans-table.css";

export function FloorPlanGrid() {
  const { shown, openedPlan } = usePlansAddress();
  return (
    <>
      <PlansFilter />
      <div>
        <div className="plan-grid pair section-end page-width">
          {shown.map((plan) => (
            <FloorPlanCard key={plan.id} plan={plan} />
          ))}
        </div>
        <CompareTray />
      </div>
      <PlansTable />
      <ComparePlans />
      {/* The address may have a plan that its filter hides. */}
      {openedPlan && (
        <PlanDialog plan={openedPlan} siblings={shown.includes(openedPlan) ? shown : floorPlans} />
      )}
    </>
  );
}

function PlansFilter() {
  const { t } = useTranslation();
  const { bedrooms, shown, addressWith } = usePlansAddress();
  return (
    <div className="page-width">
      <nav className="plans-filter cluster small quiet" aria-label={t("plans.table.filter")}>
        <span aria-hidden="true">{t("plans.table.bedrooms")}</span>
        {[null, ...bedroomCounts].map((count) => (
          <Link
            key={count}
            className="chip"
            to={addressWith({ bedrooms: count && String(count) })}
            state={{ inPlace: true } satisfies EntryState}
            aria-label={count ? t("plans.bedrooms", { count }) : undefined}
            aria-current={count === bedrooms ? "true" : undefined}
          >
            {count ?? t("plans.table.all")}
          </Link>
        ))}
      </nav>
      <p className="visually-hidden" aria-live="polite">
        {t("plans.table.shown", { count: shown.length })}
      </p>
    </div>
  );
}

function PlansTable() {
  const { t } = useTranslation();
  const { shown } = usePlansAddress();
  return (
    <section className="plans-table section-end page-width" aria-labelledby="plans-table-heading">
      <h2 id="plans-table-heading" className="h3">
        {t("plans.table.heading")}
      </h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("plans.table.plan")}</th>
            <th scope="col">{t("plans.table.rooms")}</th>
            <th scope="col">{t("plans.table.area")}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((plan) => (
            <tr key={plan.id}>
              <th scope="row">
                <PlanLink id={plan.id}>
                  <b>{plan.id}</b>{" "}
                  <span className="small quiet">
                    {t(`unit.${plan.id}.heading`).replace(plan.id, "").trim() ||
                      t(`plans.type.${plan.type}`)}
                  </span>
                </PlanLink>
              </th>
              <td className="unbroken">
                {plan.bedrooms} / {plan.bathrooms}
              </td>
              <td>
                <span className="unbroken">
                  {withThousands(plan.size)} {t("areaUnit")}
                </span>{" "}
                <span className="plans-table-metres small quiet unbroken">
                  {squareMetres(plan)} {t("plans.table.squareMetres")}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
