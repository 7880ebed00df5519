import { useTranslation } from "react-i18next";
import { mapPicture } from "#art/map.ts";
import { project } from "#content/project.ts";

const stations = ["first", "second", "third", "fourth"] as const;
const reaches = ["five", "ten"] as const;

/** The map that is there at once. Its labels are text, in the page's language; the picture's name says the same. */
export function MapIllustration() {
  const { t } = useTranslation();
  return (
    <>
      <img
        className="map-picture"
        src={mapPicture}
        alt={t("map.picture")}
        loading="lazy"
        decoding="async"
      />
      <div aria-hidden="true">
        {reaches.map((reach) => (
          <p key={reach} className={`map-label map-reach map-reach-${reach}`}>
            {t(`map.reach.${reach}`)}
          </p>
        ))}
        <p className="map-label map-river">{t("map.river")}</p>
        {stations.map((station) => (
          <p key={station} className={`map-label map-pin map-station-${station}`}>
            <b>{t("map.station")}</b> {t(`map.distance.${station}`)}
          </p>
        ))}
        <p className="map-label map-pin map-amenities">
          <b>{t("map.amenities")}</b> {t("map.amenitiesDistance")}
        </p>
        <p className="map-label map-pin map-belt">
          <b>{t("map.belt")}</b> {t("map.beltDistance")}
        </p>
        <p className="map-label map-site on-ink">{project.name}</p>
        <p className="map-label map-scale-bar">{t("map.scaleBar")}</p>
      </div>
    </>
  );
}
