import type { Advertised } from "../advertised.ts";
import { squareFeet } from "../area.ts";
import {
  common,
  largestBox,
  lineLength,
  narrowSide,
  polygonArea,
  polygonEdges,
  regionArea,
} from "../geometry.ts";
import { isOutside, type Layout } from "../layout.ts";
import { isBathroom, isBedroom } from "./room-kinds.ts";

/** Minimum length of an edge of the outline, in millimetres. */
const MIN_STEP = 250;

export function tilingFaults({ rooms, outline }: Layout): string[] {
  const overlaps = rooms.flatMap((room, index) =>
    rooms.slice(index + 1).flatMap((other) => {
      const area = regionArea(common([[room.polygon]], [[other.polygon]]));
      return area > 0 ? [`${room.name} and ${other.name} overlap`] : [];
    }),
  );
  const whole = outline.length === 1 && outline[0]?.length === 1;
  // A gap that is open to the outside is a narrow step of the outline.
  const steps = outline
    .flat()
    .flatMap(polygonEdges)
    .filter((edge) => lineLength(edge) < MIN_STEP)
    .map((edge) => `the outline has a step of ${lineLength(edge) / 1000} m`);
  return [...overlaps, ...(whole ? [] : ["there are gaps between the rooms"]), ...steps];
}

export function areaFaults(layout: Layout, { size }: Advertised): string[] {
  const ratio = squareFeet(layout) / size;
  return Math.abs(ratio - 1) > 0.01
    ? [`${squareFeet(layout).toFixed(1)} sq ft drawn, ${size} advertised`]
    : [];
}

export function roomFaults({ rooms }: Layout, advertised: Advertised): string[] {
  const names = rooms.map(({ name }) => name);
  const faults: string[] = [];
  if (new Set(names).size < names.length) {
    faults.push("two rooms have the same name");
  }
  const bedrooms = names.filter(isBedroom).length;
  if (bedrooms !== advertised.bedrooms) {
    faults.push(`${bedrooms} bedrooms drawn, ${advertised.bedrooms} advertised`);
  }
  const bathrooms = names.filter(isBathroom).length;
  if (bathrooms !== advertised.bathrooms) {
    faults.push(`${bathrooms} bathrooms drawn, ${advertised.bathrooms} advertised`);
  }
  if (!names.some(isOutside)) {
    faults.push("no balcony");
  }
  return faults;
}

export function sizeFaults({ rooms }: Layout): string[] {
  return rooms.flatMap(({ name, polygon, clear }) => {
    const area = polygonArea(polygon) / 1e6;
    const gross = largestBox([[polygon]]);
    const net = largestBox(clear);
    if (gross === undefined || net === undefined) {
      return [`the ${name} has no floor between its walls`];
    }
    const faults: string[] = [];
    const atLeast = (what: string, measured: number, least: number) => {
      if (measured < least) {
        faults.push(`the ${name} is ${measured.toFixed(2)} ${what}, less than ${least}`);
      }
    };
    if (isBedroom(name)) {
      atLeast("m²", area, name === "mainBedroom" ? 11 : 8.5);
      atLeast("m wide", narrowSide(gross) / 1000, 2.6);
    }
    if (isBathroom(name)) {
      atLeast("m²", area, 3);
    }
    if (isOutside(name)) {
      atLeast("m deep", narrowSide(gross) / 1000, 1.2);
    }
    if (name === "corridor" || name === "foyer") {
      atLeast("m wide between walls", narrowSide(net) / 1000, 0.95);
    }
    return faults;
  });
}
