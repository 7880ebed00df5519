import type { RoomName } from "../unit.ts";

export function isBedroom(name: RoomName): boolean {
  return /^bedroom\d?$|^mainBedroom$/.test(name);
}

/** Powder rooms and helpers' toilets do not count. */
export function isBathroom(name: RoomName): boolean {
  return /^bath\d?$|^mainBath$/.test(name);
}

export function isKitchen(name: RoomName): boolean {
  return name === "kitchen" || name === "dryKitchen" || name === "wetKitchen";
}
