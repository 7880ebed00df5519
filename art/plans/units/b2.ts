import { halfWall, rectangle, type Unit } from "../unit.ts";

const x = {
  west: 0,
  lobby: 1.95,
  foyer: 3,
  kitchen: 4.55,
  main: 6.7,
  yard: 7.45,
  mainBath: 7.95,
  shelter: 8.8,
  east: 10.35,
};
const y = {
  north: 0,
  court: 1.95,
  service: 2.35,
  bath: 4.15,
  mainBath: 4.25,
  living: 6.7,
  west: 7.53,
  south: 8.2,
};
const { outer, inner, shelter } = halfWall;

/** A dumb-bell at a corner of the tower: the entrance in the recess, the service rooms in a band behind it. */
export const b2: Unit = {
  id: "B2",
  north: -16,
  rooms: [
    {
      name: "foyer",
      floor: "oak",
      polygon: rectangle(x.foyer, y.north, x.kitchen, y.service),
    },
    {
      name: "living",
      floor: "oak",
      polygon: [
        [x.lobby, y.court],
        [x.foyer, y.court],
        [x.foyer, y.service],
        [x.main, y.service],
        [x.main, y.living],
        [x.foyer, y.living],
        [x.foyer, y.bath],
        [x.lobby, y.bath],
      ],
      label: [4.75, 4.12],
    },
    {
      name: "kitchen",
      floor: "tile",
      polygon: rectangle(x.kitchen, y.north, x.yard, y.service),
    },
    {
      name: "yard",
      floor: "tile",
      polygon: rectangle(x.yard, y.north, x.shelter, y.service),
    },
    {
      name: "shelter",
      floor: "stone",
      polygon: rectangle(x.shelter, y.north, x.east, y.service),
    },
    {
      name: "bath2",
      floor: "tile",
      polygon: rectangle(x.west, y.court, x.lobby, y.bath),
      size: false,
    },
    {
      name: "bedroom2",
      floor: "oak",
      polygon: rectangle(x.west, y.bath, x.foyer, y.west),
    },
    {
      name: "mainBath",
      floor: "tile",
      polygon: rectangle(x.mainBath, y.service, x.east, y.mainBath),
      size: false,
    },
    {
      name: "mainBedroom",
      floor: "oak",
      polygon: [
        [x.main, y.service],
        [x.mainBath, y.service],
        [x.mainBath, y.mainBath],
        [x.east, y.mainBath],
        [x.east, y.south],
        [x.main, y.south],
      ],
    },
    {
      name: "balcony",
      floor: "deck",
      polygon: rectangle(x.foyer, y.living, x.main, y.south),
    },
  ],
  open: [
    [
      [x.foyer, y.service],
      [x.kitchen, y.service],
    ],
  ],
  parapets: [
    [
      [x.foyer, y.south],
      [x.main, y.south],
    ],
    [
      [x.foyer, y.west],
      [x.foyer, y.south],
    ],
  ],
  shear: [],
  openings: [
    { kind: "entrance", from: [x.foyer, 0.7], to: [x.foyer, 1.65] },
    { kind: "sliding", from: [x.kitchen, 0.95], to: [x.kitchen, 2.15] },
    { kind: "sliding", from: [x.yard, 0.85], to: [x.yard, 1.6] },
    { kind: "door", from: [x.shelter, 1.4], to: [x.shelter, 2.1], hinge: "to", into: "yard" },
    { kind: "door", from: [x.lobby, 3.3], to: [x.lobby, 4.05], hinge: "to", into: "bath2" },
    { kind: "door", from: [2.1, y.bath], to: [2.9, y.bath], hinge: "to", into: "bedroom2" },
    { kind: "door", from: [x.main, 2.5], to: [x.main, 3.3], into: "mainBedroom" },
    { kind: "door", from: [x.mainBath, 2.55], to: [x.mainBath, 3.25], into: "mainBath" },
    { kind: "sliding", from: [3.3, y.living], to: [6.4, y.living] },
    { kind: "window", from: [5.7, y.north], to: [7.1, y.north] },
    { kind: "window", from: [7.7, y.north], to: [8.5, y.north] },
    { kind: "window", from: [x.west, 2.2], to: [x.west, 2.8] },
    { kind: "window", from: [0.55, y.west], to: [2.45, y.west] },
    { kind: "window", from: [x.east, 3], to: [x.east, 3.7] },
    { kind: "window", from: [7.3, y.south], to: [9.8, y.south] },
  ],
  furniture: [
    { symbol: "shelf", at: [3.8, y.north + outer], width: 1.3 },
    { symbol: "tall", at: [2.475, y.court + outer], width: 0.93 },
    { symbol: "dining", at: [4.75, 3.1], turn: 90, width: 1.3 },
    { symbol: "rug", at: [4.7, 5.5], turn: 90, width: 2, depth: 1.7 },
    { symbol: "sofa", at: [x.main - inner, 5.5], turn: 90, width: 2.1 },
    { symbol: "coffee-table", at: [4.7, 5.5], turn: 90 },
    { symbol: "media", at: [x.foyer + inner, 5.5], turn: 270, width: 1.9 },

    { symbol: "fridge", at: [4.95, y.north + outer] },
    { symbol: "counter", at: [6.35, y.north + outer], width: 2.1 },
    { symbol: "sink", at: [6.8, y.north + outer] },
    { symbol: "hob", at: [5.75, y.north + outer] },
    { symbol: "tall", at: [7.1, y.service - inner], turn: 180 },
    { symbol: "counter", at: [6.1, y.service - inner], turn: 180, width: 1.4 },
    { symbol: "washer", at: [8.3, y.north + outer] },

    { symbol: "shower", at: [1, y.court + outer], width: 1.8, depth: 0.9 },
    { symbol: "wc", at: [x.west + outer, 3.2], turn: 270 },
    { symbol: "basin", at: [x.west + outer, 3.75], turn: 270, width: 0.7 },

    { symbol: "wardrobe", at: [1, y.bath + inner] },
    { symbol: "bed", at: [x.west + outer, 6.15], turn: 270 },
    { symbol: "nightstand", at: [x.west + outer, 5.15], turn: 270 },
    { symbol: "nightstand", at: [x.west + outer, 7.15], turn: 270 },

    { symbol: "wc", at: [9.05, y.service + shelter] },
    { symbol: "basin", at: [8.6, y.mainBath - inner], turn: 180, width: 1.1 },
    { symbol: "shower", at: [x.east - outer, 3.35], turn: 90, width: 1.7, depth: 0.9 },

    { symbol: "wardrobe", at: [9.15, y.mainBath + inner], width: 2.2 },
    { symbol: "bed", at: [x.east - outer, 6.45], turn: 90, width: 1.83 },
    { symbol: "nightstand", at: [x.east - outer, 5.3], turn: 90 },
    { symbol: "nightstand", at: [x.east - outer, 7.6], turn: 90 },
    { symbol: "media", at: [x.main + outer, 6.45], turn: 270, width: 1.5 },
    { symbol: "plant", at: [7.1, 7.75] },

    { symbol: "armchair", at: [x.foyer + outer, 7.45], turn: 270 },
    { symbol: "side-table", at: [4.25, 7.5] },
    { symbol: "lounger", at: [x.main - outer, 7.77], turn: 90 },
  ],
};
