// Written by `npm run draw` in art/.
export type RoomPoint = [view: RoomName, left: number, top: number, towards: number, angle: number];
export type RoomName = "living" | "bedroom" | "kitchen" | "balcony";

export const roomPoints: Record<string, RoomPoint[] | undefined> = {
  A1: [["living", 89.5, 18.0, 199, 84]],
  A2: [["living", 38.0, 25.5, 198, 79]],
  A3: [["living", 39.0, 22.9, 196, 81]],
  C1: [["living", 8.7, 19.7, 163, 81], ["bedroom", 80.3, 43.4, 152, 76]],
  D1: [["living", 29.4, 38.5, 150, 84]],
  PH3: [["living", 41.9, 52.0, 160, 87]],
};
