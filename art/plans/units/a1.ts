import { halfWall, rectangle, type Unit } from "../unit.ts";

const { outer, inner } = halfWall;
const x = { west: 0, bath: 1.95, bedroom: 3.1, east: 7.1 };
const y = { north: 0, kitchen: 2.1, bath: 2.75, facade: 5.3, south: 6.896 };

/** Kitchen and bath at the back, bedroom and living room side by side, and the balcony in front of the living room. */
export const a1: Unit = {
  id: "A1",
  north: 14,
  rooms: [
    {
      name: "bath",
      floor: "tile",
      polygon: rectangle(x.west, y.north, x.bath, y.bath),
    },
    {
      name: "foyer",
      floor: "oak",
      polygon: rectangle(x.bath, y.north, x.bedroom, y.bath),
      size: false,
    },
    {
      name: "kitchen",
      floor: "oak",
      polygon: rectangle(x.bedroom, y.north, x.east, y.kitchen),
    },
    {
      name: "living",
      floor: "oak",
      polygon: rectangle(x.bedroom, y.kitchen, x.east, y.facade),
    },
    {
      name: "bedroom",
      floor: "oak",
      polygon: rectangle(x.west, y.bath, x.bedroom, y.south),
    },
    {
      name: "balcony",
      floor: "deck",
      polygon: rectangle(x.bedroom, y.facade, x.east, y.south),
    },
  ],
  open: [
    [
      [x.bedroom, y.north],
      [x.bedroom, y.bath],
    ],
    [
      [x.bedroom, y.kitchen],
      [x.east, y.kitchen],
    ],
  ],
  parapets: [
    [
      [x.bedroom, y.south],
      [x.east, y.south],
    ],
  ],
  shear: [
    [
      [x.west - outer, 3.4],
      [x.west + outer, 5.6],
    ],
    [
      [x.east - outer, y.facade - 0.3],
      [x.east + outer, y.south + outer],
    ],
  ],
  openings: [
    { kind: "entrance", from: [2.08, y.north], to: [3.03, y.north], hinge: "to" },
    { kind: "door", from: [x.bath, 1.75], to: [x.bath, 2.5], into: "bath" },
    { kind: "door", from: [2.12, y.bath], to: [2.97, y.bath], into: "bedroom" },
    { kind: "sliding", from: [3.5, y.facade], to: [6.7, y.facade] },
    { kind: "window", from: [0.5, y.south], to: [2.6, y.south] },
  ],
  furniture: [
    { symbol: "shower", at: [1, y.north + outer], width: 1.8, depth: 0.9 },
    { symbol: "wc", at: [x.west + outer, 1.4], turn: 270 },
    { symbol: "basin", at: [x.west + outer, 2.22], turn: 270, width: 0.9 },

    { symbol: "fridge", at: [3.6, y.north + outer] },
    { symbol: "counter", at: [5.18, y.north + outer], width: 2.44 },
    { symbol: "sink", at: [4.6, y.north + outer] },
    { symbol: "hob", at: [5.8, y.north + outer] },
    { symbol: "washer", at: [6.7, y.north + outer] },

    { symbol: "round-table", at: [4.25, 2.9], width: 0.8, turn: 90 },
    { symbol: "media", at: [x.bedroom + inner, 4.4], turn: 270, width: 1.5 },
    { symbol: "rug", at: [5.2, 4.35], width: 1.9, depth: 1.5 },
    { symbol: "coffee-table", at: [5.1, 4.2], turn: 90, width: 0.9 },
    { symbol: "sofa", at: [x.east - outer, 3.95], turn: 90 },

    { symbol: "wardrobe", at: [1.03, y.bath + inner], width: 1.85 },
    { symbol: "bed", at: [x.west + outer, 5.2], turn: 270 },
    { symbol: "nightstand", at: [x.west + outer, 4.2], turn: 270 },
    { symbol: "nightstand", at: [x.west + outer, 6.2], turn: 270 },

    { symbol: "round-table", at: [4.5, 6.12], width: 0.6 },
    { symbol: "armchair", at: [x.east - outer, 6.3], turn: 90 },
    { symbol: "plant", at: [3.5, 6.5] },
  ],
};
