const ink = "#14232e";
const slate = "#6f777d";
const hair = "#a9a79f";

/** A pattern of lines on a ground, repeated from the origin of the page. Millimetres. */
export interface Texture {
  name: string;
  ground: string;
  width: number;
  height: number;
  /** Path data of the lines within one repetition. */
  lines: string;
  stroke: string;
}

export interface Paint {
  fill?: string | Texture;
  stroke?: string;
  /** Width of the stroke, in millimetres. */
  width?: number;
}

export const colours = {
  ink,
  slate: "#4b565e",
  bronze: "#86602f",
  champagne: "#d9b98a",
} as const;

export const textures = {
  oak: {
    name: "oak",
    ground: "#f7f0e3",
    width: 1800,
    height: 480,
    lines: "M0 0H1800M0 160H1800M0 320H1800M300 0v160M900 160v160M1500 320v160",
    stroke: "#ebdfc9",
  },
  tile: {
    name: "tile",
    ground: "#e8eeee",
    width: 300,
    height: 300,
    lines: "M0 0H300M0 0V300",
    stroke: "#d5dfe0",
  },
  stone: {
    name: "stone",
    ground: "#f0eeea",
    width: 600,
    height: 600,
    lines: "M0 0H600M0 0V600",
    stroke: "#e3e0d9",
  },
  deck: {
    name: "deck",
    ground: "#eef0e6",
    width: 140,
    height: 140,
    lines: "M0 0V140",
    stroke: "#dce0cf",
  },
} as const satisfies Record<string, Texture>;

export const paints = {
  wall: { fill: "#1c2b36" },
  glass: { fill: "#fff", stroke: ink, width: 12 },
  pane: { stroke: ink, width: 9 },
  leaf: { fill: "#fff", stroke: ink, width: 11 },
  sweep: { stroke: hair, width: 10 },
  sill: { fill: "#e9e0d2" },
  entrance: { fill: colours.bronze },

  body: { fill: "#fff", stroke: slate, width: 13 },
  cloth: { fill: "#fbf9f5", stroke: slate, width: 13 },
  wood: { fill: "#f3eadb", stroke: slate, width: 13 },
  joinery: { fill: "#f4eee2", stroke: ink, width: 12 },
  worktop: { fill: "#f6f3ee", stroke: ink, width: 12 },
  accent: { fill: "#efe4d0", stroke: slate, width: 11 },
  line: { stroke: slate, width: 13 },
  fine: { stroke: hair, width: 10 },
  dark: { fill: "#51606b" },
  lamp: { fill: "#f3e4c7", stroke: slate, width: 11 },
  rug: { fill: "#efe4d0", stroke: "#dccdb2", width: 10 },
  rugBorder: { stroke: "#dccdb2", width: 8 },
  wet: { fill: "#dce6e7", stroke: hair, width: 10 },
  water: { fill: "#cfe1e5", stroke: slate, width: 13 },
  ripple: { stroke: "#f2f8f8", width: 16 },
  foliage: { fill: "#dde6d3", stroke: "#8fa386", width: 10 },
  vein: { stroke: "#8fa386", width: 8 },
  earth: { fill: "#efe9dd", stroke: slate, width: 11 },
} as const satisfies Record<string, Paint>;
