import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { unbroken } from "#shared/ui/unbroken.tsx";
import { pictures } from "#site/art/impression.tsx";
import { LargePicture } from "#site/art/large-picture.tsx";
import "./views.css";

const levels = [60, 40, 20, 10] as const;

export function Benefits() {
  const { t } = useTranslation();
  return (
    <section className="section">
      <div className="page-grid">
        <h2>{t("benefits.heading")}</h2>
        <div className="columns">
          {(["location", "architecture"] as const).map((benefit) => (
            <div key={benefit} className="stack">
              <h3>{t(`benefits.${benefit}.heading`)}</h3>
              <p className="quiet">{unbroken(t(`benefits.${benefit}.text`))}</p>
            </div>
          ))}
        </div>
      </div>
      <Views />
    </section>
  );
}

/** The views to the south and the north from the chosen level, without JavaScript. */
function Views() {
  const { t } = useTranslation();
  return (
    <div className="views">
      <fieldset className="views-levels page-width">
        <legend>{t("benefits.level")}</legend>
        {levels.map((level) => (
          <label key={level} className="chip">
            <input type="radio" name="view-level" value={level} defaultChecked={level === 40} />
            {t("benefits.storey", { level })}
          </label>
        ))}
      </fieldset>
      {levels.map((level) => (
        <div key={level} className={`views-pair cover views-${level}`}>
          {(["south", "north"] as const).map((side) => (
            <figure key={side} className={`views-${side}`}>
              <LargePicture
                of={pictures[`${side}${level}`]}
                alt={t(`benefits.${side}Picture`, { level })}
                caption={t(`benefits.${side}`, { level })}
                sizes="(max-width: 47.99em) 160vw, 50vw"
              />
              <figcaption className="spread">
                <span className="views-name">{unbroken(t(`benefits.${side}`, { level }))}</span>{" "}
                <span>{t("impression")}</span>
              </figcaption>
            </figure>
          ))}
        </div>
      ))}
    </div>
  );
}
