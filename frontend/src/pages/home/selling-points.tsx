import { useTranslation } from "react-i18next";
import { Unbroken } from "#ui/unbroken.tsx";
import "./selling-points.css";

const points = [
  "metro",
  "secondMetro",
  "residences",
  "storeys",
  "apartments",
  "plans",
  "tenure",
  "facilities",
  "health",
  "shopping",
] as const;

/** A ledger: the figure first, and what it counts. */
export function SellingPoints() {
  const { t } = useTranslation();
  return (
    <section className="points page-width">
      <h2>{t("points.heading")}</h2>
      <ul className="points-list">
        {points.map((point) => (
          <li key={point}>
            <span className="points-figure">
              {t(`points.${point}.figure`)} <small>{t(`points.${point}.unit`)}</small>
            </span>{" "}
            <span className="points-text">
              <Unbroken text={t(`points.${point}.text`)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
