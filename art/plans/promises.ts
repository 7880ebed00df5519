import type { Advertised } from "./advertised.ts";
import type { Layout } from "./layout.ts";
import { reachFaults } from "./promises/circulation.ts";
import { lightFaults } from "./promises/daylight.ts";
import { equipmentFaults } from "./promises/equipment.ts";
import { furnitureFaults } from "./promises/furniture.ts";
import { openingFaults } from "./promises/openings.ts";
import { areaFaults, roomFaults, sizeFaults, tilingFaults } from "./promises/spaces.ts";

/** Descriptions of all faults of a plan. */
export function brokenPromises(layout: Layout, advertised: Advertised): string[] {
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
