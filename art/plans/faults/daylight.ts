import { isOutside, type Layout, roomsBeside } from "../layout.ts";
import type { RoomName } from "../unit.ts";
import { isBedroom } from "./room-kinds.ts";

export function lightFaults({ rooms, openings, walls }: Layout): string[] {
  const lit = new Set(
    openings.flatMap(({ opening, wall }) => {
      const beside = wall === undefined ? [] : roomsBeside(wall);
      return opening.kind === "window" || (opening.kind === "sliding" && beside.some(isOutside))
        ? beside
        : [];
    }),
  );
  const openTo = (room: RoomName) =>
    walls
      .filter(({ kind }) => kind === "open")
      .flatMap((wall) => {
        const beside = roomsBeside(wall);
        return beside.includes(room) ? beside : [];
      });
  const living = (name: RoomName) => name === "living" || name === "livingRoom";
  return rooms
    .filter(({ name }) => isBedroom(name) || living(name))
    .filter(
      ({ name }) => !lit.has(name) && !(living(name) && openTo(name).some((room) => lit.has(room))),
    )
    .map(({ name }) => `the ${name} has no window`);
}
