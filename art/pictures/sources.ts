// The site's pictures: what of which master is shown, and how wide it is encoded.

export interface PictureSource {
  /** File in `art/masters/`. */
  master: string;
  /** Pixels, ascending; none wider than what is cut from the master. */
  widths: number[];
  /** Pixels of the master; the whole of it otherwise. */
  crop?: { left: number; top: number; width: number; height: number };
}

export const pictures = {
  hero: { master: "hero.jpg", widths: [768, 1200, 1600, 2400] },
  heroPhone: {
    master: "hero.jpg",
    crop: { left: 1040, top: 0, width: 880, height: 880 },
    widths: [480, 740, 880],
  },
  arrival: { master: "arrival.jpg", widths: [420, 840, 1240] },
  pool: { master: "pool.jpg", widths: [480, 800, 1200, 2000] },
  southView: { master: "south.jpg", widths: [480, 800, 1200, 1600] },
  northView: { master: "north.jpg", widths: [480, 800, 1200, 1600] },
} satisfies Record<string, PictureSource>;
