import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { project } from "../../frontend/site/content/project.ts";
import { messages } from "../../frontend/site/i18n/all-languages.ts";
import { drawMap } from "./draw-map.ts";
import { distanceToOutline, outlineEdges, type Point } from "./geometry.ts";
import { labelPlaces, mapMeasures } from "./label-places.ts";
import {
  frame,
  locatePlace,
  reaches,
  scaleBar,
  site,
  stations,
  towers,
  views,
  WALKING_SPEED,
} from "./locality.ts";
import { bend, NORTH_BANK, northBank, SOUTH_BANK, southBank } from "./river.ts";

const svg = drawMap();
const languages = Object.values(messages);

/** Converts a distance such as "1.5 km", in either language, to metres. */
function metres(text: string): number {
  const [, figure, unit] = /([\d.]+)\s*(km|公里|m|米)/.exec(text) ?? [];
  return Number(figure) * (unit === "km" || unit === "公里" ? 1000 : 1);
}

/** The points of path data with absolute coordinates. */
function parsePoints(path: string): Point[] {
  return [...path.matchAll(/(?:[ML]|A[\d.]+ [\d.]+ 0 0 0 )(-?[\d.]+) (-?[\d.]+)/g)].map(
    ([, x, y]) => [Number(x), -Number(y)],
  );
}

describe("distances", () => {
  it("from the stations to the nearest point of the site match the labels", () => {
    for (const texts of languages) {
      for (const [name, station] of Object.entries(stations)) {
        const stated = metres(texts.map.distance[name as keyof typeof stations]);
        expect(distanceToOutline(locatePlace(station), site)).toBeCloseTo(stated, 6);
      }
    }
  });

  it("from the stations are drawn to the metre, below their labels", () => {
    const drawn = [...svg.matchAll(/<circle cx="(-?\d+)" cy="(-?\d+)"/g)].map(
      ([, x, y]): Point => [Number(x), -Number(y)],
    );
    const stated = [70, 320, 1500, 1700];
    expect(drawn).toHaveLength(stated.length);
    for (const [index, point] of drawn.entries()) {
      expect(Math.abs(distanceToOutline(point, site) - (stated[index] ?? 0))).toBeLessThan(1);
    }
    const labels = Object.entries(labelPlaces).filter(([name]) => name.startsWith("station-"));
    expect(labels.map(([, place]) => place.map(Math.round))).toEqual(
      drawn.map((point) => [...point]),
    );
  });

  it("of the walks match their labels at one walking speed", () => {
    for (const { map, location } of languages) {
      for (const [text, reach] of [
        [map.reach.five, reaches.fiveMinutes],
        [map.reach.ten, reaches.tenMinutes],
      ] as const) {
        const [minutes] = /\d+(?=\s*(min|分钟))/.exec(text) ?? [];
        expect(metres(text)).toBe(reach);
        expect(Number(minutes) * WALKING_SPEED).toBe(reach);
      }
      expect(metres(location.nearby.withinKilometres)).toBe(reaches.amenities);
    }
  });

  it("from the site to each reach are the same all round, with the label on the line", () => {
    const drawn = [...svg.matchAll(/<path stroke="#14232e"[^>]* d="([^"]*)"/g)].map(
      ([, path = ""]) => path,
    );
    const radii = Object.values(reaches);
    expect(drawn).toHaveLength(radii.length);
    for (const [index, radius] of radii.entries()) {
      const points = parsePoints(drawn[index] ?? "");
      expect(points.length).toBe(2 * site.length + 1);
      for (const point of points) {
        expect(Math.abs(distanceToOutline(point, site) - radius)).toBeLessThan(0.1);
      }
    }
    const labels = [labelPlaces["reach-five"], labelPlaces["reach-ten"], labelPlaces.amenities];
    for (const [index, place] of labels.entries()) {
      expect(distanceToOutline(place, site)).toBeCloseTo(radii[index] ?? 0, 6);
    }
  });

  it("have one scale in picture, labels and scale bar", () => {
    const [, width, , , , viewWidth, viewHeight] =
      /width="(\d+)" height="(\d+)" viewBox="(\S+) (\S+) (\d+) (\d+)"/.exec(svg)?.map(Number) ?? [];
    expect([viewWidth, viewHeight]).toEqual([frame.width, frame.height]);
    expect(width).toBe(frame.width);
    expect(mapMeasures()).toContain(`--map-width:${viewWidth};--map-height:${viewHeight};`);
    expect(mapMeasures()).toContain(`--scale-bar:${scaleBar}}`);
    for (const { map } of languages) {
      expect(metres(map.scaleBar)).toBe(scaleBar);
    }
  });
});

describe("the picture", () => {
  it("covers the largest window of each view", () => {
    for (const { to, height, metresPerPixel } of Object.values(views)) {
      expect(frame.width).toBeGreaterThanOrEqual(Math.floor(to * metresPerPixel));
      expect(frame.height).toBeGreaterThanOrEqual(Math.floor(height * metresPerPixel));
    }
  });

  it("is reproducible and small, and contains no text", () => {
    expect(drawMap()).toBe(svg);
    expect(gzipSync(svg).length).toBeLessThan(30_000);
    expect(svg).not.toMatch(/<text|NaN|undefined|Infinity/);
    expect(svg).not.toContain(project.name);
  });

  it("keeps the site between the streets and the water", () => {
    for (const [x, y] of site) {
      expect(y).toBeGreaterThan(northBank(x));
    }
    for (const station of Object.values(stations)) {
      const [x, y] = locatePlace(station);
      expect(y > northBank(x) || y < southBank(x)).toBe(true);
    }
    // The lines at a constant distance are only correct around a convex outline.
    for (const [index, [a, b]] of outlineEdges(site).entries()) {
      const [, c] = outlineEdges(site)[(index + 1) % site.length] as [Point, Point];
      expect((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])).toBeGreaterThan(0);
    }
  });

  it("has towers and river in the same place as the renders", () => {
    const scene = (file: string) =>
      readFileSync(resolve(import.meta.dirname, "../scene", file), "utf8");
    const inScene = [
      ...scene("layout.py").matchAll(
        /= TowerSite\("\w+", (.*?), radians\((.*?)\), (.*?, .*?, \d+), /g,
      ),
    ].map(([, centre, angle, measures]) =>
      `${centre}, ${angle}, ${measures}`.split(", ").map(Number),
    );
    expect(
      towers.map(({ centre, angle, halfWidth, halfDepth, storeys }) => [
        ...centre,
        angle,
        halfWidth,
        halfDepth,
        storeys,
      ]),
    ).toEqual(inScene);
    const course = scene("river/course.py");
    expect(course).toContain(`NORTH_BANK = ${NORTH_BANK.toFixed(1)}\n`);
    expect(course).toContain(`SOUTH_BANK = ${SOUTH_BANK.toFixed(1)}\n`);
    const swings = [
      ...course.matchAll(
        /return (.*) \* \(1 - math\.cos\(out \/ (.*)\)\) ([+-]) (.*) \* \(1 - math\.cos\(out \/ (.*)\)\)/g,
      ),
    ].map(([, near, nearLength, sign, far, farLength]) => {
      const swing = (height: string | undefined, length: string | undefined) =>
        Number(height) * (1 - Math.cos(1000 / Number(length)));
      return swing(near, nearLength) + swing(`${sign}${far}`, farLength);
    });
    const straight = Number(/STRAIGHT = (.*)/.exec(course)?.[1]);
    expect(swings).toHaveLength(2);
    expect(bend(-straight - 1000)).toBeCloseTo(swings[0] ?? 0, 9);
    expect(bend(straight + 1000)).toBeCloseTo(swings[1] ?? 0, 9);
    expect(bend(straight)).toBe(0);
  });
});
