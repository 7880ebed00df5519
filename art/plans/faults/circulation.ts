import { type Layout, roomsBeside } from "../layout.ts";

export function reachFaults({ rooms, openings, walls }: Layout): string[] {
  const ways = [
    ...openings
      .filter(({ opening }) => opening.kind === "door" || opening.kind === "sliding")
      .flatMap(({ wall }) => (wall === undefined ? [] : [roomsBeside(wall)])),
    ...walls.filter(({ kind }) => kind === "open").map(roomsBeside),
  ];
  const reached = new Set(
    openings.flatMap(({ opening, wall }) =>
      opening.kind === "entrance" && wall !== undefined ? roomsBeside(wall) : [],
    ),
  );
  for (const room of reached) {
    for (const way of ways.filter((beside) => beside.includes(room))) {
      for (const next of way) {
        reached.add(next);
      }
    }
  }
  return rooms
    .filter(({ name }) => !reached.has(name))
    .map(({ name }) => `the ${name} cannot be reached from the entrance`);
}
