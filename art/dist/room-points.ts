// Written by `npm run draw` in art/.
export type RoomPoint = [view: RoomName, left: number, top: number, towards: number, angle: number];
export type RoomName = "living" | "bedroom" | "kitchen" | "balcony";

export const roomPoints: Record<string, RoomPoint[] | undefined> = {
  A1: [["living", 89.5, 18.0, 199, 84], ["bedroom", 38.9, 42.0, 208, 81]],
  A2: [["living", 38.0, 25.5, 198, 79], ["bedroom", 59.2, 39.6, 156, 81]],
  A3: [["living", 39.0, 22.9, 196, 81], ["bedroom", 71.4, 36.5, 160, 81]],
  B1: [["living", 62.2, 25.8, 199, 84], ["bedroom", 27.3, 47.8, 205, 81]],
  B2: [["living", 61.4, 28.6, 205, 84], ["bedroom", 68.0, 50.7, 150, 81]],
  C1: [["living", 8.7, 19.7, 163, 81], ["bedroom", 80.3, 43.4, 152, 76], ["balcony", 27.8, 72.8, 231, 81]],
  C2N: [["living", 64.5, 28.8, 200, 84], ["bedroom", 74.7, 50.8, 150, 76], ["balcony", 46.7, 72.0, 126, 81]],
  D1: [["living", 29.4, 38.5, 150, 84], ["bedroom", 24.2, 49.4, 213, 81], ["balcony", 29.4, 72.8, 122, 81]],
  D2: [["living", 22.2, 28.4, 199, 81], ["bedroom", 96.3, 54.8, 219, 81]],
  PH1: [["living", 54.5, 32.1, 207, 84], ["bedroom", 22.7, 60.6, 217, 81]],
  PH2: [["living", 26.9, 49.0, 214, 84], ["bedroom", 97.2, 42.2, 214, 81]],
  PH3: [["living", 41.9, 52.0, 160, 87], ["bedroom", 17.4, 30.7, 210, 81], ["kitchen", 72.8, 40.9, 218, 84]],
};
