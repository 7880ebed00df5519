import { describe, expect, it } from "vitest";
import type { Advertised } from "./advertised.ts";
import { squareMetres } from "./area.ts";
import { findFaults } from "./faults.ts";
import { layOut } from "./layout.ts";
import type { Furniture, Opening, Point, Unit } from "./unit.ts";
import { a1 } from "./units/a1.ts";

const advertised: Advertised = { size: 527, bedrooms: 1, bathrooms: 1 };

/** The faults of A1 after a change. */
function faultsAfter(change: Partial<Unit>, claims: Partial<Advertised> = {}): string[] {
  return findFaults(layOut({ ...a1, ...change }), { ...advertised, ...claims });
}

function replaceOpenings(kind: Opening["kind"], ...instead: Opening[]): Opening[] {
  return [...a1.openings.filter((opening) => opening.kind !== kind), ...instead];
}

function addFurniture(...more: Furniture[]): Furniture[] {
  return [...a1.furniture, ...more];
}

describe("findFaults", () => {
  it("accepts A1", () => {
    expect(faultsAfter({})).toEqual([]);
  });

  it("measures areas to the middle of the walls", () => {
    expect(squareMetres(layOut(a1))).toBeCloseTo(7.1 * 6.896, 6);
  });

  it("finds an area that differs from the advertised one", () => {
    expect(faultsAfter({}, { size: 534 })).toEqual(["527.0 sq ft drawn, 534 advertised"]);
  });

  it("finds rooms that overlap or leave gaps", () => {
    const faultsAfterMoving = (name: string, change: (point: Point) => Point) =>
      faultsAfter({
        rooms: a1.rooms.map((room) =>
          room.name === name ? { ...room, polygon: room.polygon.map(change) } : room,
        ),
      });
    expect(faultsAfterMoving("bath", ([x, y]) => [x === 0 ? x : x + 0.2, y])).toContain(
      "bath and foyer overlap",
    );
    expect(faultsAfterMoving("foyer", ([x, y]) => [x, y === 0 ? y : y - 0.2])).toContain(
      "there are gaps between the rooms",
    );
    expect(faultsAfterMoving("bath", ([x, y]) => [x === 0 ? x : x - 0.2, y])).toContain(
      "the outline has a step of 0.2 m",
    );
  });

  it("finds an unreachable room and a missing entrance", () => {
    expect(faultsAfter({ openings: replaceOpenings("door") })).toEqual(
      expect.arrayContaining([
        "the bath cannot be reached from the entrance",
        "the bedroom cannot be reached from the entrance",
      ]),
    );
    expect(faultsAfter({ openings: replaceOpenings("entrance") })).toContain("0 entrances");
  });

  it("finds a bedroom without a window", () => {
    expect(faultsAfter({ openings: replaceOpenings("window") })).toEqual([
      "the bedroom has no window",
    ]);
  });

  it("finds openings in the wrong walls", () => {
    expect(
      faultsAfter({
        openings: [...a1.openings, { kind: "window", from: [1.95, 0.2], to: [1.95, 0.9] }],
      }),
    ).toContain("window at 1.95, 0.2 is in the wrong kind of wall");
    expect(
      faultsAfter({
        openings: [...a1.openings, { kind: "window", from: [4, 6.896], to: [5, 6.896] }],
      }),
    ).toContain("window at 4, 6.896 is not in one wall");
    expect(
      faultsAfter({ openings: [...a1.openings, { kind: "window", from: [0, 4], to: [0, 5] }] }),
    ).toContain("window at 0, 4 is cut into a structural wall");
  });

  it.each<[string, Furniture, string]>([
    ["a wall", { symbol: "plant", at: [0.2, 6] }, "plant at 0.2, 6 overlaps a wall"],
    ["other furniture", { symbol: "shelf", at: [1, 5], width: 0.5 }, "collides with the shelf"],
    ["the swing of a leaf", { symbol: "plant", at: [2.4, 3.2] }, "swings into the plant"],
    ["a doorway", { symbol: "plant", at: [2.25, 2.1] }, "is blocked in the foyer"],
    ["two rooms", { symbol: "plant", at: [4, 2.1] }, "is not in one room"],
    ["mid-air", { symbol: "sink", at: [4.4, 4] }, "is not on a counter"],
  ])("finds furniture in %s", (_, piece, fault) => {
    expect(faultsAfter({ furniture: addFurniture(piece) }).join("\n")).toContain(fault);
  });

  it("finds a bed that cannot be reached", () => {
    const walled: Furniture[] = [
      { symbol: "bench", at: [1.3, 4.3], depth: 0.1, width: 1 },
      { symbol: "bench", at: [1.3, 6.0], depth: 0.1, width: 1 },
    ];
    expect(faultsAfter({ furniture: addFurniture(...walled) })).toContain(
      "bed at 0.1, 5.2 cannot be reached from a side",
    );
  });

  it("finds missing equipment", () => {
    const faultsWithout = (symbol: Furniture["symbol"]) =>
      faultsAfter({ furniture: a1.furniture.filter((piece) => piece.symbol !== symbol) });
    expect(faultsWithout("wc")).toEqual(["there is no wc in the bath"]);
    expect(faultsWithout("shower")).toEqual(["there is no shower or bath in the bath"]);
    expect(faultsWithout("hob")).toEqual(["there is no hob in the kitchen"]);
    expect(faultsWithout("washer")).toEqual(["there is no washer in the unit"]);
    expect(faultsWithout("wardrobe")).toEqual(["there is no wardrobe in the bedroom"]);
  });

  it("counts bedrooms and bathrooms", () => {
    expect(faultsAfter({}, { bedrooms: 2, bathrooms: 2 })).toEqual([
      "1 bedrooms drawn, 2 advertised",
      "1 bathrooms drawn, 2 advertised",
    ]);
  });
});
