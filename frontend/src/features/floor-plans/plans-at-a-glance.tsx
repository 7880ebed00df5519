import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import {
  bedroomCounts,
  type FloorPlanId,
  type floorPlans,
  squareMetres,
} from "#content/floor-plans.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { href } from "#routes.ts";
import { isPlainClick } from "#ui/is-plain-click.ts";
import { Link } from "#ui/link.tsx";
import "./plans-at-a-glance.css";

interface PlansAtAGlanceProps {
  plans: readonly (typeof floorPlans)[number][];
  /** The number of bedrooms that is shown alone, or none. */
  bedrooms: number | null;
  onOpen: (id: FloorPlanId) => void;
}

/** One table of the plans, and links that show those with one number of bedrooms. */
export function PlansAtAGlance({ plans, bedrooms, onOpen }: PlansAtAGlanceProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const choices = [null, ...bedroomCounts];

  function open(event: MouseEvent, id: FloorPlanId): void {
    if (isPlainClick(event)) {
      event.preventDefault();
      onOpen(id);
    }
  }

  return (
    <section className="glance page-width" aria-labelledby="glance-heading">
      <h2 id="glance-heading">{t("plans.glance.heading")}</h2>
      <nav className="glance-filter" aria-label={t("plans.glance.filter")}>
        <span aria-hidden="true">{t("plans.glance.bedrooms")}</span>
        {choices.map((count) => (
          <Link
            key={count}
            className="glance-choice"
            to={href("floorPlans", language, count === null ? {} : { bedrooms: String(count) })}
            state={{ inPlace: true }}
            aria-label={count === null ? undefined : t("plans.bedrooms", { count })}
            aria-current={count === bedrooms ? "true" : undefined}
          >
            {count === null ? t("plans.glance.all") : count}
          </Link>
        ))}
      </nav>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("plans.glance.plan")}</th>
            <th scope="col">{t("plans.glance.bedrooms")}</th>
            <th scope="col">{t("plans.glance.bathrooms")}</th>
            <th scope="col">{t("plans.glance.squareFeet")}</th>
            <th scope="col">{t("plans.glance.squareMetres")}</th>
          </tr>
        </thead>
        <tbody>
          {plans.map((plan) => (
            <tr key={plan.id}>
              <th scope="row">
                {/* Without script it leads to the plan's card. */}
                <a href={`#${plan.id}`} onClick={(event) => open(event, plan.id)}>
                  {t(`plans.unit.${plan.id}.heading`)}
                </a>
              </th>
              <td>{plan.bedrooms}</td>
              <td>{plan.bathrooms}</td>
              <td>{plan.size.toLocaleString("en")}</td>
              <td>{squareMetres(plan)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
