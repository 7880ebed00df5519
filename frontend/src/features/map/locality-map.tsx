import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type MapSettings, settings } from "#settings.ts";
import "#ui/button.css";
import { MapIllustration } from "./map-illustration.tsx";
import "./locality-map.css";
import { savesData, whenNear } from "./when-near.ts";

interface LocalityMapProps {
  map?: MapSettings;
}

/** Our own illustrated map, and in its place, when it is asked for, the interactive one of another site. */
export function LocalityMap({ map = settings.map }: LocalityMapProps) {
  const { t } = useTranslation();
  const [interactive, setInteractive] = useState(false);
  const stage = useRef<HTMLDivElement>(null);
  const opensByItself = map.loading === "when-near";

  useEffect(() => {
    if (opensByItself && stage.current !== null && !savesData()) {
      return whenNear(stage.current, () => setInteractive(true));
    }
  }, [opensByItself]);

  return (
    <figure className="locality-map">
      <div ref={stage} className="map">
        {interactive ? <InteractiveMap address={map.address} /> : <MapIllustration />}
      </div>
      <figcaption className="map-caption page-width">
        {/* One button for both ways, so that the focus stays where it is. */}
        <button
          type="button"
          className="button button-small map-switch"
          onClick={() => setInteractive(!interactive)}
        >
          {interactive ? t("map.close") : t("map.open")}
        </button>
        {!interactive && <p>{t("map.from", { host: hostOf(map.address) })}</p>}
        {interactive && map.showsCity && <p>{t("map.city")}</p>}
        {!interactive && <p className="map-scale">{t("map.scale")}</p>}
      </figcaption>
    </figure>
  );
}

function InteractiveMap({ address }: { address: string }) {
  const { t } = useTranslation();
  const [loaded, setLoaded] = useState(false);
  return (
    <>
      {!loaded && <p className="map-loading">{t("map.loading")}</p>}
      <iframe
        className="map-frame"
        src={address}
        title={t("map.title")}
        loading="lazy"
        referrerPolicy="no-referrer"
        // Its own scripts, its own origin and its links in a new tab; nothing of this page.
        sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"
        onLoad={() => setLoaded(true)}
      />
    </>
  );
}

/** The host as people know it. */
function hostOf(address: string): string {
  return new URL(address).host.replace(/^www\./, "");
}
