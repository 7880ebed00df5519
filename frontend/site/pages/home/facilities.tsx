import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Impression } from "#site/art/impression.tsx";
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

export function Facilities() {
  const { t } = useTranslation();
  return (
    <section className="facilities on-ink">
      <div className="facilities-body section page-grid">
        <h2>{t("facilities.heading")}</h2>
        <ul className="facilities-list hairline-list">
          {facilities.map((facility) => (
            <li key={facility}>{t(`facilities.${facility}.heading`)}</li>
          ))}
        </ul>
        <p className="small quiet">{t("facilities.note")}</p>
        <Impression
          of="pool"
          className="facilities-pool cover"
          sizes="(max-width: 47.99em) 160vw, 100vw"
        />
      </div>
    </section>
  );
}
