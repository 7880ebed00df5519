import { halfWall, rectangle, type Unit } from "../unit.ts";

const x = {
  west: 0,
  foyer: 2.3,
  kitchen: 4.2,
  shelter: 6.55,
  bedroom2: 6.95,
  bath: 8.35,
  main: 9.7,
  mainBath: 10.2,
  east: 13.25,
};
const y = {
  north: 0,
  wing: 1.45,
  corridor: 3.6,
  bedrooms: 4.75,
  living: 7.55,
  south: 8.35,
  balcony: 9.25,
};
const { outer, inner, shelter } = halfWall;
/** Half the thickness of the structural walls beside the balcony. */
const pier = 0.15;

/** Living at one end, the bedrooms along a corridor with the main suite closing it. */
export const c1: Unit = {
  id: "C1",
  north: 14,
  rooms: [
    {
      name: "foyer",
      floor: "oak",
      polygon: rectangle(x.foyer, y.north, x.kitchen, y.wing),
    },
    {
      name: "living",
      floor: "oak",
      polygon: rectangle(x.west, y.wing, x.kitchen, y.living),
      label: [2.05, 4.27],
    },
    {
      name: "corridor",
      floor: "oak",
      polygon: rectangle(x.kitchen, y.corridor, x.main, y.bedrooms),
      label: false,
    },
    {
      name: "kitchen",
      floor: "tile",
      polygon: rectangle(x.kitchen, y.north, x.shelter, y.corridor),
    },
    {
      name: "yard",
      floor: "tile",
      polygon: rectangle(x.shelter, y.north, x.bath, y.wing),
    },
    {
      name: "shelter",
      floor: "stone",
      polygon: rectangle(x.shelter, y.wing, x.bath, y.corridor),
    },
    {
      name: "bath2",
      floor: "tile",
      polygon: rectangle(x.bath, y.wing, x.mainBath, y.corridor),
      size: false,
    },
    {
      name: "mainBath",
      floor: "tile",
      polygon: rectangle(x.mainBath, y.wing, x.east, y.corridor),
      size: false,
    },
    {
      name: "bedroom3",
      floor: "oak",
      polygon: rectangle(x.kitchen, y.bedrooms, x.bedroom2, y.south),
    },
    {
      name: "bedroom2",
      floor: "oak",
      polygon: rectangle(x.bedroom2, y.bedrooms, x.main, y.south),
    },
    {
      name: "mainBedroom",
      floor: "oak",
      polygon: rectangle(x.main, y.corridor, x.east, y.south),
    },
    {
      name: "balcony",
      floor: "deck",
      polygon: rectangle(x.west, y.living, x.kitchen, y.balcony),
    },
  ],
  open: [
    [
      [x.foyer, y.wing],
      [x.kitchen, y.wing],
    ],
    [
      [x.kitchen, y.corridor],
      [x.kitchen, y.bedrooms],
    ],
  ],
  parapets: [
    [
      [x.west, y.south],
      [x.west, y.balcony],
    ],
    [
      [x.west, y.balcony],
      [x.kitchen, y.balcony],
    ],
    [
      [x.kitchen, y.south],
      [x.kitchen, y.balcony],
    ],
  ],
  shear: [
    [
      [x.west - outer, y.living - outer],
      [x.west + pier, y.south + outer],
    ],
    [
      [x.kitchen - pier, y.living - outer],
      [x.kitchen + pier, y.south + outer],
    ],
  ],
  openings: [
    { kind: "entrance", from: [3.05, y.north], to: [4.05, y.north], hinge: "to" },
    { kind: "sliding", from: [x.kitchen, 1.95], to: [x.kitchen, 3.35] },
    { kind: "sliding", from: [x.shelter, 0.35], to: [x.shelter, 1.15] },
    { kind: "door", from: [7.1, y.corridor], to: [7.8, y.corridor], into: "corridor" },
    { kind: "door", from: [8.6, y.corridor], to: [9.35, y.corridor], into: "bath2" },
    {
      kind: "door",
      from: [6.05, y.bedrooms],
      to: [6.85, y.bedrooms],
      hinge: "to",
      into: "bedroom3",
    },
    { kind: "door", from: [7.05, y.bedrooms], to: [7.85, y.bedrooms], into: "bedroom2" },
    { kind: "door", from: [x.main, 3.8], to: [x.main, 4.65], into: "mainBedroom" },
    {
      kind: "door",
      from: [12.25, y.corridor],
      to: [13, y.corridor],
      hinge: "to",
      into: "mainBath",
    },
    { kind: "sliding", from: [0.4, y.living], to: [3.8, y.living] },
    { kind: "window", from: [4.5, y.north], to: [5.6, y.north] },
    { kind: "window", from: [6.95, y.north], to: [7.95, y.north] },
    { kind: "window", from: [8.9, y.wing], to: [9.7, y.wing] },
    { kind: "window", from: [10.5, y.wing], to: [11.6, y.wing] },
    { kind: "window", from: [4.7, y.south], to: [6.5, y.south] },
    { kind: "window", from: [7.4, y.south], to: [9.2, y.south] },
    { kind: "window", from: [10.25, y.south], to: [12.75, y.south] },
  ],
  furniture: [
    { symbol: "shelf", at: [x.foyer + outer, 0.75], turn: 270, width: 1.1 },
    { symbol: "shelf", at: [x.west + outer, 2.95], turn: 270, width: 1.6 },
    { symbol: "dining", at: [2.05, 2.95], width: 1.8, depth: 0.9, seats: 6 },
    { symbol: "rug", at: [2.05, 6.05], turn: 90, width: 2.4, depth: 1.9 },
    { symbol: "sofa", at: [x.west + outer, 6.05], turn: 270, width: 2.3 },
    { symbol: "coffee-table", at: [2.05, 6.05], turn: 90, width: 1.1, depth: 0.55 },
    { symbol: "media", at: [x.kitchen - inner, 6.05], turn: 90, width: 2.1 },

    { symbol: "counter", at: [4.975, y.north + outer], width: 1.45 },
    { symbol: "sink", at: [5.15, y.north + outer] },
    { symbol: "counter", at: [x.kitchen + inner, 1.25], turn: 270, width: 1.1 },
    { symbol: "counter", at: [x.shelter - shelter, 2.1], turn: 90, width: 1.5 },
    { symbol: "hob", at: [x.shelter - shelter, 2.15], turn: 90 },
    { symbol: "fridge", at: [x.shelter - shelter, 3.2], turn: 90 },
    { symbol: "washer", at: [x.bath - outer, 0.4], turn: 90 },
    { symbol: "washer", at: [x.bath - outer, 1], turn: 90 },

    { symbol: "shower", at: [9.325, y.wing + outer], width: 1.65, depth: 0.85 },
    { symbol: "wc", at: [x.mainBath - inner, 2.68], turn: 90 },
    { symbol: "basin", at: [x.mainBath - inner, 3.24], turn: 90, width: 0.6 },

    { symbol: "bath", at: [11.05, y.wing + outer] },
    { symbol: "shower", at: [12.575, y.wing + outer], width: 1.15 },
    { symbol: "wc", at: [x.mainBath + inner, 2.67], turn: 270 },
    { symbol: "basin", at: [11.2, y.corridor - inner], turn: 180, width: 1.5 },

    { symbol: "wardrobe", at: [5.05, y.bedrooms + inner], width: 1.6 },
    { symbol: "bed", at: [x.kitchen + inner, 6.7], turn: 270, width: 1.07 },
    { symbol: "nightstand", at: [x.kitchen + inner, 5.94], turn: 270 },
    { symbol: "desk", at: [6.1, y.south - outer], turn: 180, width: 1.4, depth: 0.5 },

    { symbol: "wardrobe", at: [8.8, y.bedrooms + inner], width: 1.7 },
    { symbol: "bed", at: [x.main - inner, 6.75], turn: 90 },
    { symbol: "nightstand", at: [x.main - inner, 5.75], turn: 90 },
    { symbol: "nightstand", at: [x.main - inner, 7.75], turn: 90 },

    { symbol: "wardrobe", at: [x.main + inner, 6.1], turn: 270, width: 2.4 },
    { symbol: "bed", at: [x.east - outer, 6.3], turn: 90, width: 1.83 },
    { symbol: "nightstand", at: [x.east - outer, 5.15], turn: 90 },
    { symbol: "nightstand", at: [x.east - outer, 7.45], turn: 90 },
    { symbol: "desk", at: [11.4, y.corridor + inner], width: 1.2, depth: 0.45 },

    { symbol: "round-table", at: [1, 8.4], width: 0.8 },
    { symbol: "armchair", at: [x.kitchen - pier, 8.1], turn: 90 },
    { symbol: "plant", at: [3.82, 8.93] },
  ],
};
