import { useTranslation } from "react-i18next";
import { project } from "#content/project.ts";
import picture from "../../../art/map.svg";

/** The map that is there at once. Its labels are text, in the page's language; the picture's name says the same. */
export function MapIllustration() {
  const { t } = useTranslation();
  return (
    <div className="map-sheet">
      <img
        className="map-picture"
        src={picture}
        width={1600}
        height={1100}
        alt={t("map.picture")}
        loading="lazy"
        decoding="async"
      />
      <div aria-hidden="true">
        <p className="map-pin map-pin-site on-ink">{project.name}</p>
        <p className="map-pin map-pin-near">
          <b>{t("map.station")}</b> {t("map.nearStation")}
        </p>
        <p className="map-pin map-pin-far">
          <b>{t("map.station")}</b> {t("map.farStation")}
        </p>
        <p className="map-river">{t("map.river")}</p>
        <p className="map-pin map-pin-belt">
          <b>
            {t("map.belt")}
            <svg className="map-away" viewBox="0 0 12 12" aria-hidden="true">
              <path d="M6 12V1M2 5l4-4 4 4" fill="none" stroke="currentColor" strokeWidth="1.25" />
            </svg>
          </b>{" "}
          {t("map.beltDistance")}
        </p>
      </div>
    </div>
  );
}
