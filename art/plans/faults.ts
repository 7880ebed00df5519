import type { Advertised } from "./advertised.ts";
import { reachFaults } from "./faults/circulation.ts";
import { lightFaults } from "./faults/daylight.ts";
import { equipmentFaults } from "./faults/equipment.ts";
import { furnitureFaults } from "./faults/furniture.ts";
import { openingFaults } from "./faults/openings.ts";
import { areaFaults, roomFaults, sizeFaults, tilingFaults } from "./faults/spaces.ts";
import type { Layout } from "./layout.ts";

/** Descriptions of all faults of a plan. */
export function findFaults(layout: Layout, advertised: Advertised): string[] {
  return [
    ...tilingFaults(layout),
    ...areaFaults(layout, advertised),
    ...openingFaults(layout),
    ...reachFaults(layout),
    ...lightFaults(layout),
    ...roomFaults(layout, advertised),
    ...sizeFaults(layout),
    ...furnitureFaults(layout),
    ...equipmentFaults(layout),
  ];
}
