import { type RoomPoint as Drawn, roomPoints as drawn } from "../../../art/dist/room-points.ts";

/** An eye on a large plan. */
export type RoomPoint = Drawn;

export const roomPoints = drawn;
