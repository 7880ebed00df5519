// Written by `npm run draw` in art/.
export type RoomPoint = [view: RoomName, left: number, top: number, towards: number, angle: number];
export type RoomName = "living" | "bedroom" | "kitchen" | "balcony";

export const roomPoints: Record<string, RoomPoint[] | undefined> = {

};
