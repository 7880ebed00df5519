import { halfWall, rectangle, type Unit } from "../unit.ts";

const { outer, inner } = halfWall;
const x = { west: 0, foyer: 1.9, middle: 3.45, east: 6.7 };
const y = { north: 0, bath: 1.95, kitchen: 3, dressing: 3.4, facade: 7.2, balcony: 8.863 };

/** Narrow and deep: the living rooms along one side, and along the other a bath with two doors, a dressing room, the bedroom. */
export const a2: Unit = {
  id: "A2",
  north: -16,
  rooms: [
    {
      name: "kitchen",
      floor: "oak",
      polygon: rectangle(x.west, y.north, x.foyer, y.kitchen),
    },
    {
      name: "foyer",
      floor: "oak",
      polygon: rectangle(x.foyer, y.north, x.middle, y.kitchen),
      size: false,
    },
    {
      name: "living",
      floor: "oak",
      polygon: rectangle(x.west, y.kitchen, x.middle, y.facade),
    },
    {
      name: "balcony",
      floor: "deck",
      polygon: rectangle(x.west, y.facade, x.middle, y.balcony),
    },
    {
      name: "bath",
      floor: "tile",
      polygon: rectangle(x.middle, y.north, x.east, y.bath),
    },
    {
      name: "dressing",
      floor: "oak",
      polygon: rectangle(x.middle, y.bath, x.east, y.dressing),
      size: false,
    },
    {
      name: "bedroom",
      floor: "oak",
      polygon: rectangle(x.middle, y.dressing, x.east, y.facade),
    },
  ],
  open: [
    [
      [x.foyer, y.north],
      [x.foyer, y.kitchen],
    ],
    [
      [x.west, y.kitchen],
      [x.middle, y.kitchen],
    ],
    [
      [4.2, y.dressing],
      [5.95, y.dressing],
    ],
  ],
  parapets: [
    [
      [x.west, y.balcony],
      [x.middle, y.balcony],
    ],
    [
      [x.middle, y.facade],
      [x.middle, y.balcony],
    ],
  ],
  shear: [
    [
      [x.west - outer, 4.4],
      [x.west + outer, 6.8],
    ],
    [
      [x.east - outer, 2.2],
      [x.east + outer, 4.4],
    ],
  ],
  openings: [
    { kind: "entrance", from: [2.3, y.north], to: [3.25, y.north], hinge: "to" },
    { kind: "door", from: [x.middle, 0.9], to: [x.middle, 1.65], into: "bath" },
    { kind: "door", from: [4.65, y.bath], to: [5.4, y.bath], hinge: "to", into: "bath" },
    { kind: "door", from: [x.middle, 3.6], to: [x.middle, 4.45], into: "bedroom" },
    { kind: "sliding", from: [0.5, y.facade], to: [2.95, y.facade] },
    { kind: "window", from: [4, y.facade], to: [6.2, y.facade] },
  ],
  furniture: [
    { symbol: "washer", at: [1.05, y.north + outer] },
    { symbol: "counter", at: [x.west + outer, 1.2], turn: 270, width: 2.2 },
    { symbol: "sink", at: [x.west + outer, 0.8], turn: 270 },
    { symbol: "hob", at: [x.west + outer, 1.8], turn: 270 },
    { symbol: "fridge", at: [x.west + outer, 2.65], turn: 270 },
    { symbol: "shelf", at: [x.middle - inner, 2.45], turn: 90, width: 1 },

    { symbol: "round-table", at: [1.15, 3.76], width: 0.8 },
    { symbol: "sofa", at: [x.west + outer, 5.65], turn: 270 },
    { symbol: "rug", at: [1.75, 5.65], width: 1.5, depth: 2.1 },
    { symbol: "coffee-table", at: [1.75, 5.65], turn: 90, width: 0.9 },
    { symbol: "media", at: [x.middle - inner, 5.7], turn: 90, width: 1.6 },

    { symbol: "basin", at: [4.35, y.north + outer], width: 1 },
    { symbol: "wc", at: [5.2, y.north + outer] },
    { symbol: "shower", at: [x.east - outer, 1], turn: 90, width: 1.8 },

    { symbol: "wardrobe", at: [x.middle + inner, 2.68], turn: 270, width: 1.3 },
    { symbol: "wardrobe", at: [x.east - outer, 2.68], turn: 90, width: 1.3 },

    { symbol: "bed", at: [x.east - outer, 5.6], turn: 90 },
    { symbol: "nightstand", at: [x.east - outer, 4.6], turn: 90 },
    { symbol: "nightstand", at: [x.east - outer, 6.6], turn: 90 },
    { symbol: "shelf", at: [x.middle + inner, 5.6], turn: 270, width: 1.5 },

    { symbol: "lounger", at: [x.west + outer + 0.05, 8.35], turn: 270 },
    { symbol: "side-table", at: [2.5, 8.4] },
    { symbol: "plant", at: [3.1, 8.5], width: 0.4 },
  ],
};
