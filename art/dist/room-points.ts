// Written by `npm run draw` in art/.
export type RoomPoint = [view: RoomName, left: number, top: number, towards: number, angle: number];
export type RoomName = "living" | "bedroom" | "kitchen" | "balcony";

export const roomPoints: Record<string, RoomPoint[] | undefined> = {
  C1: [["living", 8.7, 19.7, 163, 81], ["bedroom", 80.3, 43.4, 152, 76]],
};
