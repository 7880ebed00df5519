// The site's pictures: the master, the crop and the widths of each.

export interface PictureSource {
  /** File in `art/masters/`. */
  master: string;
  /** Pixels, ascending. No width may exceed that of the crop. */
  widths: number[];
  /** Whether the first screen shows it. A separate module contains these pictures, because it loads first. */
  first?: boolean;
  /** Pixels of the master. Without it, the site shows the whole master. */
  crop?: { left: number; top: number; width: number; height: number };
}

export const pictures = {
  hero: { master: "hero.jpg", widths: [768, 1200, 1600, 2400], first: true },
  heroPhone: {
    master: "hero.jpg",
    crop: { left: 1110, top: 0, width: 880, height: 880 },
    widths: [480, 740, 880],
    first: true,
  },
  arrival: { master: "arrival.jpg", widths: [420, 840, 1240] },
  pool: { master: "pool.jpg", widths: [480, 800, 1200, 2000] },
  south10: { master: "south10.jpg", widths: [480, 800, 1200, 1600] },
  north10: { master: "north10.jpg", widths: [480, 800, 1200, 1600] },
  south20: { master: "south20.jpg", widths: [480, 800, 1200, 1600] },
  north20: { master: "north20.jpg", widths: [480, 800, 1200, 1600] },
  living: { master: "rooms/c1-living.jpg", widths: [480, 800, 1200] },
  bedroom: { master: "rooms/c1-bedroom.jpg", widths: [480, 800, 1200] },
  kitchen: { master: "kitchen.jpg", widths: [480, 800, 1200, 1600] },
  penthouse: { master: "rooms/ph3-living.jpg", widths: [480, 800, 1200, 1600] },
  lobby: { master: "lobby.jpg", widths: [480, 800, 1200, 1600] },
  south40: { master: "south40.jpg", widths: [480, 800, 1200, 1600] },
  north40: { master: "north40.jpg", widths: [480, 800, 1200, 1600] },
  south60: { master: "south60.jpg", widths: [480, 800, 1200, 1600] },
  north60: { master: "north60.jpg", widths: [480, 800, 1200, 1600] },
} satisfies Record<string, PictureSource>;
