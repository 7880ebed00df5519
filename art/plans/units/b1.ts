import { halfWall, rectangle, type Unit } from "../unit.ts";

const x = { west: 0, shelter: 1.6, living: 3.1, kitchen: 6.3, bath: 7.3, east: 9.1 };
const y = {
  north: 0,
  riser: 1.2,
  kitchen: 1.85,
  shelter: 2.15,
  lobby: 2.7,
  mainBath: 3.65,
  bath: 4.1,
  living: 6.12,
  south: 7.57,
};
const { outer, inner } = halfWall;

/** A dumb-bell: a bedroom with its window on either side of the living room, and no corridor. */
export const b1: Unit = {
  id: "B1",
  north: 164,
  rooms: [
    {
      name: "living",
      floor: "oak",
      polygon: [
        [x.living, y.north],
        [x.kitchen, y.north],
        [x.kitchen, y.lobby],
        [x.bath, y.lobby],
        [x.bath, y.bath],
        [x.kitchen, y.bath],
        [x.kitchen, y.living],
        [x.living, y.living],
      ],
      label: [4.65, 3.84],
    },
    {
      name: "kitchen",
      floor: "tile",
      polygon: [
        [x.kitchen, y.north],
        [x.east, y.north],
        [x.east, y.kitchen],
        [x.bath, y.kitchen],
        [x.bath, y.lobby],
        [x.kitchen, y.lobby],
      ],
    },
    {
      name: "shelter",
      floor: "stone",
      polygon: rectangle(x.shelter, y.north, x.living, y.shelter),
    },
    {
      name: "mainBath",
      floor: "tile",
      polygon: rectangle(x.west, y.riser, x.shelter, y.mainBath),
      size: false,
    },
    {
      name: "mainBedroom",
      floor: "oak",
      polygon: [
        [x.shelter, y.shelter],
        [x.living, y.shelter],
        [x.living, y.south],
        [x.west, y.south],
        [x.west, y.mainBath],
        [x.shelter, y.mainBath],
      ],
    },
    {
      name: "bath2",
      floor: "tile",
      polygon: rectangle(x.bath, y.kitchen, x.east, y.bath),
      size: false,
    },
    {
      name: "bedroom2",
      floor: "oak",
      polygon: rectangle(x.kitchen, y.bath, x.east, y.south),
    },
    {
      name: "balcony",
      floor: "deck",
      polygon: rectangle(x.living, y.living, x.kitchen, y.south),
    },
  ],
  open: [
    [
      [x.kitchen, y.north],
      [x.kitchen, y.lobby],
    ],
  ],
  parapets: [
    [
      [x.living, y.south],
      [x.kitchen, y.south],
    ],
  ],
  shear: [],
  openings: [
    { kind: "entrance", from: [3.45, y.north], to: [4.4, y.north] },
    { kind: "door", from: [x.living, 1.2], to: [x.living, 1.9], hinge: "to", into: "living" },
    { kind: "door", from: [x.living, 2.4], to: [x.living, 3.2], into: "mainBedroom" },
    { kind: "door", from: [x.shelter, 2.75], to: [x.shelter, 3.5], hinge: "to", into: "mainBath" },
    { kind: "door", from: [x.bath, 3.2], to: [x.bath, 3.95], hinge: "to", into: "bath2" },
    { kind: "door", from: [6.4, y.bath], to: [7.2, y.bath], into: "bedroom2" },
    { kind: "sliding", from: [3.4, y.living], to: [6, y.living] },
    { kind: "window", from: [0.55, y.south], to: [2.55, y.south] },
    { kind: "window", from: [6.85, y.south], to: [8.65, y.south] },
  ],
  furniture: [
    { symbol: "shelf", at: [5.35, y.north + outer], width: 1.5 },
    { symbol: "dining", at: [4.7, 2.85], turn: 90, width: 1.3, depth: 0.8 },
    { symbol: "rug", at: [4.5, 5.08], turn: 90, width: 1.8, depth: 1.4 },
    { symbol: "sofa", at: [x.kitchen - inner, 5.08], turn: 90, width: 1.8 },
    { symbol: "coffee-table", at: [4.5, 5.02], turn: 90, width: 0.75, depth: 0.45 },
    { symbol: "media", at: [x.living + inner, 5.08], turn: 270, width: 1.7 },

    { symbol: "counter", at: [7.65, y.north + outer], width: 2.7 },
    { symbol: "hob", at: [6.95, y.north + outer] },
    { symbol: "sink", at: [7.9, y.north + outer] },
    { symbol: "counter", at: [x.east - outer, 0.95], turn: 90, width: 0.5 },
    { symbol: "washer", at: [x.east - outer, 1.5], turn: 90 },
    { symbol: "fridge", at: [x.bath - inner, 2.28], turn: 90 },

    { symbol: "shower", at: [0.775, y.riser + outer], width: 1.35 },
    { symbol: "wc", at: [x.west + outer, 2.5], turn: 270 },
    { symbol: "basin", at: [x.west + outer, 3.2], turn: 270 },

    { symbol: "wardrobe", at: [0.875, y.mainBath + inner], width: 1.55 },
    { symbol: "shelf", at: [x.living - inner, 4.45], turn: 90 },
    { symbol: "bed", at: [x.west + outer, 6], turn: 270 },
    { symbol: "nightstand", at: [x.west + outer, 5], turn: 270 },
    { symbol: "nightstand", at: [x.west + outer, 7], turn: 270 },
    { symbol: "plant", at: [2.7, 7.17] },

    { symbol: "shower", at: [8.175, y.kitchen + inner], width: 1.65, depth: 0.9 },
    { symbol: "wc", at: [x.east - outer, 3.08], turn: 90 },
    { symbol: "basin", at: [x.east - outer, 3.68], turn: 90, width: 0.7 },

    { symbol: "wardrobe", at: [8.2, y.bath + inner], width: 1.6 },
    { symbol: "bed", at: [x.east - outer, 6.1], turn: 90 },
    { symbol: "nightstand", at: [x.east - outer, 5.1], turn: 90 },
    { symbol: "nightstand", at: [x.east - outer, 7.1], turn: 90 },

    { symbol: "armchair", at: [x.living + outer, 7.08], turn: 270 },
    { symbol: "side-table", at: [4.7, 7.08] },
    { symbol: "armchair", at: [x.kitchen - outer, 7.08], turn: 90 },
  ],
};
