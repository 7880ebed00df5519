import { Impression } from "#art/impression.tsx";
import { useTranslation } from "#i18n/use-translation.tsx";
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

const widths = { pool: "50vw", cabanas: "25vw", garden: "25vw" };
const pictures = Object.keys(widths) as (keyof typeof widths)[];

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
        <div className="facilities-strip">
          <div className="swipe">
            {pictures.map((picture) => (
              <Impression
                key={picture}
                of={picture}
                className={`facilities-${picture}`}
                sizes={`(max-width: 47.99em) 84vw, ${widths[picture]}`}
              />
            ))}
          </div>
        </div>
      </div>
    </section>
  );
}
