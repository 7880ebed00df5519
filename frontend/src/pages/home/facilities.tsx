import { useTranslation } from "react-i18next";
import "./facilities.css";

const facilities = [
  "gymnasium",
  "lapPool",
  "kidsPool",
  "fitnessCorner",
  "functionRooms",
  "clubHouse",
  "barbequePits",
  "outdoorPavilion",
  "rooftopTerraces",
  "greenGardens",
] as const;

/** Ten names, set as one sentence. */
export function Facilities() {
  const { t } = useTranslation();
  return (
    <section className="facilities on-ink">
      <div className="facilities-body page-grid">
        <h2 className="label">{t("facilities.heading")}</h2>
        <ul className="facilities-list">
          {facilities.map((facility) => (
            <li key={facility}>{t(`facilities.${facility}.heading`)}</li>
          ))}
        </ul>
        <p className="facilities-note">{t("facilities.note")}</p>
      </div>
    </section>
  );
}
