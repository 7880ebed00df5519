import type { Layout } from "../layout.ts";
import type { RoomName, SymbolName } from "../unit.ts";
import { findRoom } from "./furniture.ts";
import { isBathroom, isBedroom, isKitchen } from "./room-kinds.ts";

export function equipmentFaults({ rooms, pieces }: Layout): string[] {
  const found = new Map<RoomName, Set<SymbolName>>(rooms.map(({ name }) => [name, new Set()]));
  for (const piece of pieces) {
    const room = findRoom(piece, rooms);
    if (room !== undefined) {
      found.get(room.name)?.add(piece.symbol);
    }
  }
  const faults: string[] = [];
  const demand = (where: string, symbols: readonly Set<SymbolName>[], ...oneOf: SymbolName[]) => {
    if (!symbols.some((present) => oneOf.some((symbol) => present.has(symbol)))) {
      faults.push(`there is no ${oneOf.join(" or ")} in the ${where}`);
    }
  };
  for (const [name, symbols] of found) {
    if (isBathroom(name)) {
      demand(name, [symbols], "wc");
      demand(name, [symbols], "basin");
      demand(name, [symbols], "shower", "bath");
    }
    if (isBedroom(name)) {
      demand(name, [symbols], "bed");
      const dressing = [...found].filter(([other]) => /^dressing/.test(other));
      if (!symbols.has("wardrobe")) {
        demand(
          name,
          dressing.map(([, inside]) => inside),
          "wardrobe",
        );
      }
    }
  }
  const kitchens = [...found].filter(([name]) => isKitchen(name)).map(([, symbols]) => symbols);
  demand("kitchen", kitchens, "sink");
  demand("kitchen", kitchens, "hob");
  demand("kitchen", kitchens, "fridge");
  demand("unit", [...found.values()], "washer");
  return faults;
}
