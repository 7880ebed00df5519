import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { unbroken } from "#shared/ui/unbroken.tsx";
import { facts } from "#site/content/facts.ts";
import "./selling-points.css";

const figures = {
  metro: facts.firstStation,
  secondMetro: facts.secondStation,
  residences: facts.residences,
  storeys: facts.storeys,
  apartments: facts.apartmentStoreys,
  plans: facts.plans,
  tenure: facts.leaseYears,
  facilities: facts.facilities,
  health: facts.amenities,
  shopping: facts.shopping,
};
const points = Object.keys(figures) as (keyof typeof figures)[];

export function SellingPoints() {
  const { t } = useTranslation();
  return (
    <section className="section-end page-width">
      <h2>{t("points.heading")}</h2>
      <ul className="points-list columns hairline-list">
        {points.map((point) => (
          <li key={point}>
            <span className="points-figure unbroken">
              {figures[point]} <small>{t(`points.${point}.unit`)}</small>
            </span>{" "}
            <span className="points-text quiet">{unbroken(t(`points.${point}.text`))}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
