// The rooms that a visitor can stand in: where each home is, and the camera of each picture on its plan.
import type { Point } from "../plans/unit.ts";

/** The place of a home. All windows of its page's lower edge are on one long side of a tower. */
export interface Home {
  tower: "east" | "west";
  /** The long side of the tower. */
  side: "south" | "north";
  /** Metres from the middle of that side to the middle of the home, to the right on the plan's page. */
  along: number;
  level: number;
}

export interface RoomView {
  plan: string;
  view: "living" | "bedroom" | "kitchen" | "balcony";
  /** The camera, in metres of the plan's page. */
  at: Point;
  /** Its direction on the page: 0 up, 90 right, 180 down. */
  towards: number;
  /** Focal length in millimetres on a sensor 36 mm wide. */
  lens: number;
  /** Height of the camera above the floor, in metres. */
  eye: number;
  /** Compass bearing and elevation of the sun, in degrees. */
  sun: readonly [azimuth: number, elevation: number];
  /** Stops of exposure for the room. */
  exposure: number;
}

export const homes: Record<string, Home> = {
  A1: { tower: "east", side: "south", along: -6, level: 24 },
  A2: { tower: "west", side: "south", along: 4, level: 24 },
  A3: { tower: "east", side: "south", along: 8, level: 28 },
  B1: { tower: "west", side: "north", along: 0, level: 30 },
  B2: { tower: "west", side: "south", along: -6, level: 30 },
  C1: { tower: "east", side: "south", along: -7, level: 36 },
  C2N: { tower: "west", side: "south", along: 6, level: 38 },
  D1: { tower: "east", side: "south", along: 4, level: 48 },
  D2: { tower: "west", side: "south", along: -4, level: 50 },
  PH1: { tower: "east", side: "south", along: 0, level: 60 },
  PH2: { tower: "west", side: "south", along: 0, level: 60 },
  PH3: { tower: "east", side: "south", along: 0, level: 61 },
};

const morning = [112, 30] as const;
const afternoon = [244, 32] as const;
const northern = [62, 30] as const;

/** A view with the values that most rooms share. */
function room(
  plan: string,
  view: RoomView["view"],
  at: Point,
  towards: number,
  changes: Partial<RoomView> = {},
): RoomView {
  const home = homes[plan];
  const sun = home?.side === "north" ? northern : home?.tower === "east" ? morning : afternoon;
  return { plan, view, at, towards, lens: 21, eye: 1.4, sun, exposure: 0.4, ...changes };
}

/** All rooms with a camera. Those whose picture is in `masters/` have an eye on the plan. */
export const roomViews: readonly RoomView[] = [
  room("A1", "living", [6.5, 1.05], 199, { lens: 20 }),
  room("A1", "bedroom", [2.72, 3.12], 208),
  room("A2", "living", [2.5, 2.2], 198, { lens: 22, exposure: 0.6 }),
  room("A2", "bedroom", [4.0, 3.7], 156),
  room("A3", "living", [3.2, 1.75], 196),
  room("A3", "bedroom", [6.0, 2.9], 160),
  room("B1", "living", [5.7, 1.9], 199, { lens: 20, exposure: 0.7 }),
  room("B1", "bedroom", [2.4, 3.95], 205),
  room("B2", "living", [6.4, 2.6], 205, { lens: 20 }),
  room("B2", "bedroom", [7.1, 4.75], 150),
  room("C1", "living", [1.0, 1.75], 163),
  room("C1", "bedroom", [10.75, 4.45], 152, { lens: 23 }),
  room("C1", "balcony", [3.6, 7.8], 231, { exposure: -1.4 }),
  room("C2N", "living", [9.6, 2.9], 200, { lens: 20, exposure: 0.6 }),
  room("C2N", "bedroom", [11.15, 5.5], 150, { lens: 23 }),
  room("C2N", "balcony", [6.9, 8.0], 126, { exposure: -1.4 }),
  room("D1", "living", [4.6, 4.6], 150, { lens: 20 }),
  room("D1", "bedroom", [3.75, 5.95], 213),
  room("D1", "balcony", [4.6, 8.85], 122, { exposure: -1.4 }),
  room("D2", "living", [3.9, 3.0], 199, { exposure: -0.2 }),
  room("D2", "bedroom", [17.5, 5.95], 219),
  room("PH3", "living", [10.1, 7.7], 160, { lens: 19, exposure: -0.1 }),
  room("PH3", "bedroom", [4.1, 4.35], 210),
  room("PH3", "kitchen", [17.7, 5.95], 218, { lens: 20 }),
  room("PH1", "living", [10.8, 4.5], 207, { lens: 20, exposure: 0.9 }),
  room("PH1", "bedroom", [4.4, 8.65], 217),
  room("PH1", "kitchen", [8.75, 4.4], 212, { lens: 20, exposure: 0.7 }),
  room("PH2", "living", [6.3, 6.7], 214, { lens: 20, exposure: -0.1 }),
  room("PH2", "bedroom", [23.2, 5.75], 214),
];
