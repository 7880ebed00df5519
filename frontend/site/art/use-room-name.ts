import type { FloorPlan } from "#shared/content/floor-plans.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import type { RoomPoint } from "./room-points.ts";

/** A function that returns the name of a room. */
export function useRoomName() {
  const { t } = useTranslation();
  return ({ bedrooms }: FloorPlan, view: RoomPoint[0]) =>
    t(`plans.room.${view === "bedroom" && bedrooms > 1 ? "mainBedroom" : view}.heading`);
}
