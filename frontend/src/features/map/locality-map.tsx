import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type MapSettings, settings } from "#settings.ts";
import "#ui/button.css";
import { MapIllustration } from "./map-illustration.tsx";
import "./locality-map.css";
import { savesData, whenNear } from "./when-near.ts";

const ANSWER_TIMEOUT_MS = 8_000;

interface LocalityMapProps {
  map?: MapSettings;
  /** Whether there is an answer from that address at all. */
  answers?: (address: string) => Promise<boolean>;
}

/** Our own illustrated map, and in its place, when it is asked for and can be had, the interactive one of another site. */
export function LocalityMap({ map = settings.map, answers = anyAnswer }: LocalityMapProps) {
  const { t } = useTranslation();
  const [state, setState] = useState<"illustrated" | "asked" | "interactive" | "failed">(
    "illustrated",
  );
  const interactive = state === "interactive";
  const isOurs = state === "illustrated" || state === "failed";
  const stage = useRef<HTMLDivElement>(null);
  const opensByItself = map.loading === "when-near";

  useEffect(() => {
    if (opensByItself && stage.current !== null && !savesData()) {
      return whenNear(stage.current, () => setState("asked"));
    }
  }, [opensByItself]);

  useEffect(() => {
    if (state === "asked") {
      let wanted = true;
      answers(map.address).then((answered) => {
        if (wanted) {
          setState(answered ? "interactive" : "failed");
        }
      });
      return () => {
        wanted = false;
      };
    }
  }, [state, map.address, answers]);

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
          onClick={() => setState(isOurs ? "asked" : "illustrated")}
        >
          {isOurs ? t("map.open") : t("map.close")}
        </button>
        <p role="status">
          {state === "asked" && t("map.loading")}
          {state === "failed" && t("map.failed")}
        </p>
        {isOurs && <p>{t("map.from", { host: hostOf(map.address) })}</p>}
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

/** A frame shows the browser's own error where there is no server: asked first, it is known. */
async function anyAnswer(address: string): Promise<boolean> {
  try {
    await fetch(address, {
      mode: "no-cors",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return true;
  } catch {
    return false;
  }
}

/** The host as people know it. */
function hostOf(address: string): string {
  return new URL(address).host.replace(/^www\./, "");
}
