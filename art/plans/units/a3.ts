import { halfWall, rectangle, type Unit } from "../unit.ts";

const { outer, inner } = halfWall;
const x = { west: 0, kitchen: 2.3, study: 3.7, bedroom: 4.9, bath: 5.95, east: 8.3 };
const y = { north: 0, entrance: 0.9, back: 2.6, facade: 5.55, south: 7.024 };

/** Wide, at a corner: a recessed entrance between kitchen and study, and a balcony open on two sides. */
export const a3: Unit = {
  id: "A3",
  north: 14,
  rooms: [
    {
      name: "kitchen",
      floor: "tile",
      polygon: rectangle(x.west, y.north, x.kitchen, y.back),
    },
    {
      name: "foyer",
      floor: "oak",
      polygon: rectangle(x.kitchen, y.entrance, x.study, y.back),
      size: false,
    },
    {
      name: "study",
      floor: "oak",
      polygon: rectangle(x.study, y.north, x.bath, y.back),
    },
    {
      name: "bath",
      floor: "tile",
      polygon: rectangle(x.bath, y.north, x.east, y.back),
    },
    {
      name: "living",
      floor: "oak",
      polygon: rectangle(x.west, y.back, x.bedroom, y.facade),
    },
    {
      name: "bedroom",
      floor: "oak",
      polygon: rectangle(x.bedroom, y.back, x.east, y.south),
    },
    {
      name: "balcony",
      floor: "deck",
      polygon: rectangle(x.west, y.facade, x.bedroom, y.south),
    },
  ],
  open: [
    [
      [x.kitchen, y.entrance],
      [x.kitchen, y.back],
    ],
    [
      [x.west, y.back],
      [x.bedroom, y.back],
    ],
  ],
  parapets: [
    [
      [x.west, y.facade],
      [x.west, y.south],
    ],
    [
      [x.west, y.south],
      [x.bedroom, y.south],
    ],
  ],
  shear: [
    [
      [x.east - outer, 3.6],
      [x.east + outer, 6.4],
    ],
    [
      [x.study - outer, y.north - outer],
      [x.study + outer, 1.5],
    ],
  ],
  openings: [
    { kind: "entrance", from: [2.55, y.entrance], to: [3.5, y.entrance], hinge: "to" },
    { kind: "door", from: [x.bath, 1.25], to: [x.bath, 2], into: "bath" },
    { kind: "door", from: [6.5, y.back], to: [7.25, y.back], hinge: "to", into: "bedroom" },
    { kind: "door", from: [x.bedroom, 2.8], to: [x.bedroom, 3.65], into: "bedroom" },
    { kind: "sliding", from: [0.5, y.facade], to: [4.4, y.facade] },
    { kind: "window", from: [0.6, y.north], to: [1.6, y.north] },
    { kind: "window", from: [4.3, y.north], to: [5.4, y.north] },
    { kind: "window", from: [5.6, y.south], to: [7.8, y.south] },
  ],
  furniture: [
    { symbol: "counter", at: [0.85, y.north + outer], width: 1.5 },
    { symbol: "sink", at: [1.1, y.north + outer] },
    { symbol: "washer", at: [1.9, y.north + outer] },
    { symbol: "counter", at: [x.west + outer, 1.3], turn: 270, width: 1.2 },
    { symbol: "hob", at: [x.west + outer, 1.35], turn: 270 },
    { symbol: "fridge", at: [x.west + outer, 2.25], turn: 270 },

    { symbol: "desk", at: [4.85, y.north + outer], width: 1.6 },
    { symbol: "shelf", at: [x.study + inner, 2.05], turn: 270, width: 1 },

    { symbol: "shower", at: [7.1, y.north + outer], width: 2.2, depth: 0.9 },
    { symbol: "wc", at: [x.east - outer, 1.38], turn: 90 },
    { symbol: "basin", at: [x.east - outer, 2.1], turn: 90, width: 0.9 },

    { symbol: "round-table", at: [1.85, 3.36], width: 0.8 },
    { symbol: "sofa", at: [x.west + outer, 4.45], turn: 270, width: 1.9 },
    { symbol: "rug", at: [2.05, 4.7], width: 1.9, depth: 1.3 },
    { symbol: "coffee-table", at: [1.8, 4.65], turn: 90, width: 0.8 },
    { symbol: "media", at: [x.bedroom - inner, 4.55], turn: 90, width: 1.6 },

    { symbol: "wardrobe", at: [x.bedroom + outer, 4.85], turn: 270, width: 2 },
    { symbol: "bed", at: [x.east - outer, 5.1], turn: 90, width: 1.83 },
    { symbol: "nightstand", at: [x.east - outer, 3.95], turn: 90 },
    { symbol: "nightstand", at: [x.east - outer, 6.25], turn: 90 },
    { symbol: "armchair", at: [5.6, 6.85], turn: 180 },

    { symbol: "armchair", at: [x.west + 0.15, 6.35], turn: 270 },
    { symbol: "side-table", at: [1.25, 6.65] },
    { symbol: "round-table", at: [3.4, 6.31], width: 0.6 },
    { symbol: "plant", at: [4.5, 6.65] },
  ],
};
