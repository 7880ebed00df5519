import type { Point } from "./geometry.ts";
import { frame, locatePlace, reaches, scaleBar, site, stations, views } from "./locality.ts";

const south = Math.min(...site.map(([, y]) => y));
const north = Math.max(...site.map(([, y]) => y));

/** The point of each label of the map, in metres, by the end of the label's class name. */
export const labelPlaces = {
  site: [frame.centre[0], north],
  "station-first": locatePlace(stations.first),
  "station-second": locatePlace(stations.second),
  "station-third": locatePlace(stations.third),
  "station-fourth": locatePlace(stations.fourth),
  "reach-five": locatePlace({ from: [-100, south], bearing: 196, distance: reaches.fiveMinutes }),
  "reach-ten": locatePlace({ from: [136, south], bearing: 100, distance: reaches.tenMinutes }),
  amenities: locatePlace({ from: [136, south], bearing: 101, distance: reaches.amenities }),
  river: [310, -134],
} as const satisfies Record<string, Point>;

/**
 * Custom properties for the page's styles: the length of a metre on the screen (`--metre`), the size of the picture,
 * and the position of each label in metres east and north of the picture's middle.
 */
export function mapMeasures(): string {
  const { wide, narrow } = views;
  const labels = Object.entries(labelPlaces).map(
    ([name, [x, y]]) =>
      `.map-${name}{--east:${(x - frame.centre[0]).toFixed(1)};--north:${(y - frame.centre[1]).toFixed(1)}}`,
  );
  return [
    "@layer features{",
    `.map{--metre:max(1px/${wide.metresPerPixel},100vw/${frame.width});--map-width:${frame.width};--map-height:${frame.height};--scale-bar:${scaleBar}}`,
    `@media (width<${narrow.to}px){.map{--metre:calc(1px/${narrow.metresPerPixel})}}`,
    ...labels,
    "}",
    "",
  ].join("\n");
}
