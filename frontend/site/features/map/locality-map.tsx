import { useCallback, useEffect, useRef, useState } from "react";
import { deadline } from "#shared/api/deadline.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { mapPicture } from "#site/art/map.ts";
import { project } from "#site/content/project.ts";
import { type MapSettings, settings } from "#site/settings.ts";
import "./locality-map.css";

const REACHABLE_TIMEOUT_MS = 8_000;

const reaches = ["five", "ten"] as const;
const pins = [
  ["station-first", "map.station", "map.distance.first"],
  ["station-second", "map.station", "map.distance.second"],
  ["station-third", "map.station", "map.distance.third"],
  ["station-fourth", "map.station", "map.distance.fourth"],
  ["amenities", "map.amenities", "location.nearby.withinKilometres"],
  ["belt", "location.nearby.shoppingBelt", "location.nearby.minutesByCar"],
] as const;

interface LocalityMapProps {
  map?: MapSettings;
  isReachable?: (address: string) => Promise<boolean>;
}

/** The illustrated map. The interactive map of another site replaces it when it comes near the window, or on request. */
export function LocalityMap({ map = settings.map, isReachable = answers }: LocalityMapProps) {
  const { t } = useTranslation();
  const [state, setState] = useState<
    "illustrated" | "requested" | "loading" | "interactive" | "failed"
  >("illustrated");
  const stage = useRef<HTMLDivElement>(null);
  const isOurs = state === "illustrated" || state === "failed";
  const host = new URL(map.address).host.replace(/^www\./, "");
  const hasFrame = state === "loading" || state === "interactive";

  /** The answer that the map waits for. An earlier one counts no more after the map was closed. */
  const awaited = useRef<object>(null);

  const open = useCallback(async () => {
    const request = {};
    awaited.current = request;
    setState("requested");
    const reachable = await isReachable(map.address);
    if (awaited.current === request) {
      setState(reachable ? "loading" : "failed");
    }
  }, [map.address, isReachable]);

  function close(): void {
    awaited.current = null;
    setState("illustrated");
  }

  useEffect(() => {
    const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
    if (map.loading === "when-near" && stage.current && !connection?.saveData) {
      const observer = new IntersectionObserver(
        (entries) => {
          if (entries.some(({ isIntersecting }) => isIntersecting)) {
            observer.disconnect();
            void open();
          }
        },
        { rootMargin: "50% 0%" },
      );
      observer.observe(stage.current);
      return () => observer.disconnect();
    }
  }, [map.loading, open]);

  return (
    <figure className="locality-map">
      <div ref={stage} className="map">
        {hasFrame ? (
          <iframe
            className="map-frame"
            src={map.address}
            title={t("map.title")}
            referrerPolicy="no-referrer"
            // The frame may run its scripts, use its origin and open links in a new tab, without access to this page.
            sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"
            onLoad={() => setState((now) => (now === "loading" ? "interactive" : now))}
          />
        ) : (
          <MapIllustration />
        )}
      </div>
      <figcaption className="map-caption cluster page-width">
        {/* One button opens and closes the map, so it keeps the focus. */}
        <button
          type="button"
          className="button button-small button-plain map-switch"
          data-replay
          onClick={() => (isOurs ? void open() : close())}
        >
          {isOurs ? t("map.open") : t("map.close")}
        </button>
        <p role="status">
          {state === "failed"
            ? t("map.failed")
            : state === "requested" || state === "loading"
              ? t("map.loading")
              : ""}
        </p>
        {isOurs && (
          <p>
            <a href={map.address} target="_blank" rel="noreferrer">
              {t("map.from", { host })}
            </a>
          </p>
        )}
        {hasFrame && <p>{t("map.shown", { host })}</p>}
        {hasFrame && map.showsCity && <p>{t("map.city")}</p>}
        {!hasFrame && <p className="map-scale">{t("map.scale")}</p>}
      </figcaption>
    </figure>
  );
}

/** The labels are text in the language of the page, and also in the picture's alternative text. */
function MapIllustration() {
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
        {pins.map(([pin, name, distance]) => (
          <p key={pin} className={`map-label map-pin map-${pin}`}>
            <b>{t(name)}</b>
            <span>{t(distance)}</span>
          </p>
        ))}
        <p className="map-label map-site on-ink">{project.name}</p>
        <p className="map-label map-scale-bar">{t("map.scaleBar")}</p>
      </div>
    </>
  );
}

/** Requests the address first, because a frame would show the browser's error page if its server does not answer. */
async function answers(address: string): Promise<boolean> {
  try {
    await fetch(address, {
      mode: "no-cors",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal: deadline(REACHABLE_TIMEOUT_MS),
    });
    return true;
  } catch {
    return false;
  }
}
