import { useTranslation } from "react-i18next";
import type { EncodedPicture } from "#art/first-pictures.ts";
import { LargePicture } from "#art/large-picture.tsx";
import { pictures } from "#art/pictures.ts";
import { Unbroken } from "#ui/unbroken.tsx";
import "./views.css";

const levels = [60, 40, 20, 10] as const;
/** The level that the specification shows. */
const FIRST: (typeof levels)[number] = 40;

/** The view to the south and the north, from the level that is chosen; it needs no script. */
export function Views() {
  const { t } = useTranslation();
  return (
    <div className="views">
      <fieldset className="views-levels cluster page-width">
        <legend>{t("benefits.level")}</legend>
        {levels.map((level) => (
          <label key={level}>
            <input type="radio" name="view-level" value={level} defaultChecked={level === FIRST} />
            {level}
          </label>
        ))}
      </fieldset>
      {levels.map((level) => (
        <div key={level} className={`swipe views-pair views-${level}`}>
          <View
            of={pictures[`south${level}`]}
            alt={t("benefits.southPicture", { level })}
            caption={t("benefits.south", { level })}
          />
          <View
            of={pictures[`north${level}`]}
            alt={t("benefits.northPicture", { level })}
            caption={t("benefits.north", { level })}
          />
        </div>
      ))}
    </div>
  );
}

function View({ of, alt, caption }: { of: EncodedPicture; alt: string; caption: string }) {
  const { t } = useTranslation();
  return (
    <figure>
      <LargePicture of={of} alt={alt} caption={caption} sizes="(max-width: 47.99em) 100vw, 50vw" />
      <figcaption className="spread">
        <span className="views-name">
          <Unbroken text={caption} />
        </span>{" "}
        <span>{t("impression")}</span>
      </figcaption>
    </figure>
  );
}
