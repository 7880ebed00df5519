import { halfWall, rectangle, type Unit } from "../unit.ts";

const x = {
  west: 0,
  shelter: 2.25,
  bedroom3: 3.3,
  kitchen: 3.5,
  bath3: 4.5,
  foyer: 6.5,
  study: 8.4,
  main: 10.9,
  mainBath: 12.6,
  east: 14.8,
};
const y = {
  north: 0,
  wing: 2.15,
  service: 2.65,
  corridor: 4.4,
  main: 5.2,
  bedroom3: 5.6,
  living: 7.7,
  west: 8.83,
  south: 9.5,
};
const { outer, inner, shelter } = halfWall;
/** Half the thickness of the structural walls beside the balcony. */
const pier = 0.15;

/** Living in the middle, the main suite with its dressing room to one side, a second suite and a bedroom to the other. */
export const c2n: Unit = {
  id: "C2N",
  north: -16,
  rooms: [
    {
      name: "foyer",
      floor: "oak",
      polygon: rectangle(x.foyer, y.north, x.study, y.service),
    },
    {
      name: "study",
      floor: "oak",
      polygon: rectangle(x.study, y.north, x.main, y.service),
    },
    {
      name: "living",
      floor: "oak",
      polygon: rectangle(x.foyer, y.service, x.main, y.living),
      label: [8.7, 5.22],
    },
    {
      name: "corridor",
      floor: "oak",
      polygon: rectangle(x.bedroom3, y.corridor, x.foyer, y.bedroom3),
      label: false,
    },
    {
      name: "kitchen",
      floor: "tile",
      polygon: rectangle(x.kitchen, y.north, x.foyer, y.service),
    },
    {
      name: "yard",
      floor: "tile",
      polygon: rectangle(x.shelter, y.north, x.kitchen, y.service),
    },
    {
      name: "shelter",
      floor: "stone",
      polygon: rectangle(x.shelter, y.service, x.bath3, y.corridor),
    },
    {
      name: "bath3",
      floor: "tile",
      polygon: rectangle(x.bath3, y.service, x.foyer, y.corridor),
      size: false,
    },
    {
      name: "bath2",
      floor: "tile",
      polygon: rectangle(x.west, y.wing, x.shelter, y.corridor),
      size: false,
    },
    {
      name: "bedroom2",
      floor: "oak",
      polygon: rectangle(x.west, y.corridor, x.bedroom3, y.west),
    },
    {
      name: "bedroom3",
      floor: "oak",
      polygon: rectangle(x.bedroom3, y.bedroom3, x.foyer, y.west),
    },
    {
      name: "dressing",
      floor: "oak",
      polygon: rectangle(x.main, y.wing, x.mainBath, y.main),
      size: false,
    },
    {
      name: "mainBath",
      floor: "tile",
      polygon: rectangle(x.mainBath, y.wing, x.east, y.main),
      size: false,
    },
    {
      name: "mainBedroom",
      floor: "oak",
      polygon: rectangle(x.main, y.main, x.east, y.south),
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
      [x.study, y.service],
    ],
    [
      [x.foyer, y.corridor],
      [x.foyer, y.bedroom3],
    ],
  ],
  parapets: [
    [
      [x.foyer, y.west],
      [x.foyer, y.south],
    ],
    [
      [x.foyer, y.south],
      [x.main, y.south],
    ],
  ],
  shear: [
    [
      [x.foyer - pier, y.living - outer],
      [x.foyer + pier, y.west + outer],
    ],
  ],
  openings: [
    { kind: "entrance", from: [6.75, y.north], to: [7.75, y.north] },
    { kind: "sliding", from: [x.foyer, 1.15], to: [x.foyer, 2.35] },
    { kind: "sliding", from: [x.kitchen, 0.85], to: [x.kitchen, 1.6] },
    { kind: "sliding", from: [8.75, y.service], to: [10.35, y.service] },
    { kind: "door", from: [3.6, y.corridor], to: [4.3, y.corridor], hinge: "to", into: "corridor" },
    { kind: "door", from: [5.6, y.corridor], to: [6.35, y.corridor], hinge: "to", into: "bath3" },
    { kind: "door", from: [x.bedroom3, 4.65], to: [x.bedroom3, 5.45], into: "bedroom2" },
    { kind: "door", from: [0.2, y.corridor], to: [0.95, y.corridor], into: "bath2" },
    { kind: "door", from: [5.6, y.bedroom3], to: [6.4, y.bedroom3], hinge: "to", into: "bedroom3" },
    { kind: "door", from: [x.main, 2.95], to: [x.main, 3.8], into: "dressing" },
    { kind: "door", from: [x.mainBath, 4.25], to: [x.mainBath, 5], hinge: "to", into: "mainBath" },
    { kind: "sliding", from: [11.6, y.main], to: [12.5, y.main] },
    { kind: "sliding", from: [6.9, y.living], to: [10.5, y.living] },
    { kind: "sliding", from: [x.main, 7.95], to: [x.main, 9.15] },
    { kind: "window", from: [4.1, y.north], to: [5.7, y.north] },
    { kind: "window", from: [x.shelter, 0.5], to: [x.shelter, 1.5] },
    { kind: "window", from: [9, y.north], to: [10.4, y.north] },
    { kind: "window", from: [0.7, y.wing], to: [1.5, y.wing] },
    { kind: "window", from: [0.6, y.west], to: [2.7, y.west] },
    { kind: "window", from: [3.9, y.west], to: [5.9, y.west] },
    { kind: "window", from: [x.east, 2.6], to: [x.east, 3.6] },
    { kind: "window", from: [11.5, y.south], to: [14.2, y.south] },
  ],
  furniture: [
    { symbol: "shelf", at: [x.study - inner, 1.4], turn: 90, width: 1.8 },
    { symbol: "desk", at: [x.main - outer, 1.25], turn: 90, width: 1.6 },
    { symbol: "shelf", at: [x.study + inner, 1.3], turn: 270, width: 2 },

    { symbol: "dining", at: [8.7, 4.1], width: 1.9, depth: 0.95, seats: 6 },
    { symbol: "rug", at: [8.7, 6.62], turn: 90, width: 1.9, depth: 2.2 },
    { symbol: "sofa", at: [x.main - inner, 6.45], turn: 90, width: 2.3, chaise: "right" },
    { symbol: "coffee-table", at: [8.8, 6.35], turn: 90, width: 1.1, depth: 0.6 },
    { symbol: "plant", at: [10.57, 4.98] },
    { symbol: "media", at: [x.foyer + inner, 6.65], turn: 270, width: 1.8 },

    { symbol: "counter", at: [5, y.north + outer], width: 2.9 },
    { symbol: "sink", at: [4.9, y.north + outer] },
    { symbol: "fridge", at: [3.9, y.service - shelter], turn: 180 },
    { symbol: "tall", at: [4.45, y.service - shelter], turn: 180, width: 0.4 },
    { symbol: "counter", at: [5.25, y.service - inner], turn: 180, width: 1.2, depth: 0.7 },
    { symbol: "hob", at: [5.25, y.service - inner], turn: 180 },
    { symbol: "counter", at: [2.9, y.north + outer], width: 1.1 },
    { symbol: "sink", at: [2.9, y.north + outer] },
    { symbol: "washer", at: [x.shelter + outer, 2.15], turn: 270 },

    { symbol: "shower", at: [x.bath3 + shelter, 3.175], turn: 270, width: 0.95, depth: 0.88 },
    { symbol: "wc", at: [5.72, y.service + inner] },
    { symbol: "basin", at: [6.19, y.service + inner], width: 0.52 },

    { symbol: "shower", at: [1.1, y.wing + outer], width: 2, depth: 0.9 },
    { symbol: "wc", at: [x.shelter - shelter, 3.37], turn: 90 },
    { symbol: "basin", at: [x.shelter - shelter, 3.96], turn: 90, width: 0.76 },

    { symbol: "wardrobe", at: [1.725, y.corridor + shelter], width: 1.35 },
    { symbol: "bed", at: [x.west + outer, 6.9], turn: 270 },
    { symbol: "nightstand", at: [x.west + outer, 5.9], turn: 270 },
    { symbol: "nightstand", at: [x.west + outer, 7.9], turn: 270 },
    { symbol: "desk", at: [2.45, y.west - outer], turn: 180, width: 1.3 },

    { symbol: "wardrobe", at: [4.4, y.bedroom3 + inner], width: 2 },
    { symbol: "bed", at: [x.bedroom3 + inner, 7.96], turn: 270, width: 1.37 },
    { symbol: "nightstand", at: [x.bedroom3 + inner, 7.05], turn: 270 },
    { symbol: "shelf", at: [x.foyer - inner, 7.05], turn: 90, width: 1.1 },

    { symbol: "wardrobe", at: [11.75, y.wing + outer], width: 1.6 },
    { symbol: "wardrobe", at: [x.main + inner, 4.5], turn: 270, width: 1.25 },
    { symbol: "shower", at: [13.2, y.wing + outer], width: 1.1 },
    { symbol: "bath", at: [x.east - outer, 3.05], turn: 90 },
    { symbol: "basin", at: [x.east - outer, 4.55], turn: 90, width: 1.15 },
    { symbol: "wc", at: [x.mainBath + inner, 3.6], turn: 270 },

    { symbol: "bed", at: [x.east - outer, 6.9], turn: 90, width: 1.83 },
    { symbol: "nightstand", at: [x.east - outer, 5.75], turn: 90 },
    { symbol: "nightstand", at: [x.east - outer, 8.05], turn: 90 },
    { symbol: "armchair", at: [x.east - outer, 8.85], turn: 90 },
    { symbol: "media", at: [x.main + inner, 6.7], turn: 270, width: 1.6 },

    { symbol: "round-table", at: [7.5, 8.65], seats: 4 },
    { symbol: "lounger", at: [10.45, 9.1], turn: 90 },
  ],
};
