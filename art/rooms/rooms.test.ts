import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { seat } from "../plans/furniture.ts";
import type { Unit } from "../plans/unit.ts";
import { units } from "../plans/units.ts";
import { sceneUnits, sceneViews, viewAngle } from "../site-modules.ts";
import { planRoomPictures, recordOf, renderedRooms } from "./encode.ts";
import { homes, type RoomView, roomViews } from "./rooms.ts";

/** Bytes of a picture 1,280 pixels wide that a phone loads after a tap. */
const MOST_BYTES = 60_000;
const layout = readFileSync(resolve(import.meta.dirname, "../scene/layout.py"), "utf8");
const scene = readFileSync(resolve(import.meta.dirname, "../scene/views.py"), "utf8");
const pieces = readFileSync(resolve(import.meta.dirname, "../scene/interior/furniture.py"), "utf8");

function unitOf({ plan }: Pick<RoomView, "plan">): Unit {
  return units.find(({ id }) => id === plan) as Unit;
}

/** A tower of `scene/layout.py`. */
function towerNamed(name: string) {
  const figures = new RegExp(
    `TowerSite\\("${name}", ([-\\d.]+), ([-\\d.]+), radians\\(([-\\d.]+)\\), ([\\d.]+), ([\\d.]+), \\d+, ([\\d.]+)`,
  ).exec(layout);
  const [x = 0, y = 0, angle = 0, halfWidth = 0, halfDepth = 0, storey = 0] = (figures ?? [])
    .slice(1)
    .map(Number);
  return { x, y, angle, halfWidth, halfDepth, storey };
}

const CORNER_RADIUS = 5.5;

/** The bounds of the rooms with walls, in metres of the page. */
function indoors(unit: Unit) {
  const points = unit.rooms.filter(({ floor }) => floor !== "deck").flatMap((room) => room.polygon);
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.max(...ys), points };
}

/** Converts a point of the page to the tower: x along its side from the middle, y from its middle to its back. */
function inTower(unit: Unit, [x, y]: readonly [number, number]): [number, number] {
  const home = homes[unit.id] as (typeof homes)[string];
  const { halfDepth } = towerNamed(home.tower);
  const { left, right, bottom } = indoors(unit);
  return [home.along + x - (left + right) / 2, bottom - y - halfDepth];
}

describe.each(units)("$id", (unit) => {
  const home = homes[unit.id] as (typeof homes)[string];
  const tower = towerNamed(home.tower);

  it("is inside its tower", () => {
    for (const point of indoors(unit).points) {
      const [x, y] = inTower(unit, point);
      const beyond = Math.hypot(
        Math.max(0, Math.abs(x) - tower.halfWidth + CORNER_RADIUS),
        Math.max(0, Math.abs(y) - tower.halfDepth + CORNER_RADIUS),
      );
      expect(beyond, `${point}`).toBeLessThanOrEqual(CORNER_RADIUS + 0.01);
    }
  });

  it("has the north of its side of the tower", () => {
    const turned = home.side === "south" ? tower.angle : tower.angle + 180;
    expect((unit.north - turned + 720) % 360).toBe(0);
  });
});

/** Metres between a camera and the outline of its room. */
const CLEARANCE = 0.15;

describe("each camera", () => {
  it.each(roomViews)("$plan $view is in its room", (view) => {
    const unit = unitOf(view);
    const [x, y] = view.at;
    const inside = unit.rooms.some(({ polygon }) => {
      const xs = polygon.map(([x]) => x);
      const ys = polygon.map(([, y]) => y);
      return (
        x > Math.min(...xs) + CLEARANCE &&
        x < Math.max(...xs) - CLEARANCE &&
        y > Math.min(...ys) + CLEARANCE &&
        y < Math.max(...ys) - CLEARANCE
      );
    });
    expect(inside).toBe(true);
  });
});

it("chairs stand around a table where the plan draws them", () => {
  const [, around] = /^AROUND = ([\d.]+)$/m.exec(pieces) ?? [];
  expect(Number(around)).toBeCloseTo(seat.around - seat.inset, 3);
});

it("no plan has two eyes for one view", () => {
  const names = roomViews.map(({ plan, view }) => `${plan} ${view}`);
  expect(new Set(names).size).toBe(names.length);
});

/** Metres between two eyes of a plan: closer, one would cover the other on a phone. */
const APART = 1.5;

it.each(units)("each eye of $id can be tapped", ({ id }) => {
  const places = renderedRooms().flatMap(({ plan, at }) => (plan === id ? [at] : []));
  for (const [index, [x, y]] of places.entries()) {
    for (const [otherX, otherY] of places.slice(index + 1)) {
      expect(Math.hypot(x - otherX, y - otherY)).toBeGreaterThan(APART);
    }
  }
});

/** As in `claim` of `scene/interior/unit.py`. */
function claimOf(view: RoomView): string {
  const line = (file: string, start: string) =>
    file
      .split("\n")
      .find((line) => line.startsWith(start))
      ?.replace(/,$/, "");
  const lines = [
    line(sceneUnits(units), `{"id":"${view.plan}"`),
    line(sceneViews(roomViews), `{"plan":"${view.plan}","view":"${view.view}"`),
  ];
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 12);
}

// The page of the plans promises the living room.
it.each(units)("a visitor can stand in the living room and the bedroom of $id", ({ id }) => {
  const views = renderedRooms().filter(({ plan }) => plan === id);
  const names = views.map(({ view }) => view);
  expect(names).toContain("living");
  expect(names).toContain("bedroom");
});

describe.each(renderedRooms())("the picture of $plan $view", (view) => {
  const unit = unitOf(view);

  it("shows the plan, the home and the camera as they are now", async () => {
    expect((await recordOf(view)).claim, "render the room again").toBe(claimOf(view));
  });

  it("was taken from the eye on the plan, in its direction", async () => {
    const { camera } = await recordOf(view);
    const home = homes[view.plan] as (typeof homes)[string];
    const tower = towerNamed(home.tower);
    const turn = (unit.north * Math.PI) / 180;
    const east = camera.location[0] - tower.x;
    const north = camera.location[1] - tower.y;
    const [x, y] = inTower(unit, view.at);
    expect(east * Math.cos(turn) + north * Math.sin(turn)).toBeCloseTo(x, 2);
    expect(north * Math.cos(turn) - east * Math.sin(turn)).toBeCloseTo(y, 2);
    expect((camera.azimuth + unit.north - view.towards + 720) % 360).toBeCloseTo(0, 2);
    expect(viewAngle(camera.lens)).toBe(viewAngle(view.lens));
  });

  it("has the height and the level of its home", async () => {
    const { ceiling, camera } = await recordOf(view);
    expect(ceiling).toBe(2.85);
    const { storey } = towerNamed("east");
    const level = homes[view.plan]?.level ?? 0;
    const [, base = "0"] = /return ([\d.]+) \+ \(level - 40\)/.exec(scene) ?? [];
    expect(camera.location[2]).toBeCloseTo(
      Number(base) + (level - 40) * storey - 1.62 + view.eye,
      2,
    );
  });

  it("has a piece of furniture for each symbol of the plan, at its place", async () => {
    const { furniture } = await recordOf(view);
    expect(furniture).toEqual(
      unit.furniture.map(({ symbol, at, turn = 0 }) => ({ symbol, at, turn })),
    );
  });
});

it("every picture has the page's proportions and loads quickly after a tap", async () => {
  for (const { files } of await planRoomPictures()) {
    for (const { use, file } of files) {
      const path = resolve(import.meta.dirname, "../dist/rooms", file);
      const { width, height } = await sharp(path).metadata();
      expect(width / height, file).toBeCloseTo(1.6, 1);
      const { size } = await sharp(resolve(import.meta.dirname, "../dist/rooms", file)).metadata();
      const bytes =
        size ?? readFileSync(resolve(import.meta.dirname, "../dist/rooms", file)).length;
      if (use === "avif") {
        expect(bytes, file).toBeLessThanOrEqual(MOST_BYTES);
      }
    }
  }
});
