// The site's pictures: what of which master is shown, and how wide it is encoded.

/**
 * @typedef {object} PictureSource
 * @property {string} master file below `art/masters/`
 * @property {number[]} widths in pixels, ascending; none wider than what is cut from the master
 * @property {{ left: number, top: number, width: number, height: number }} [crop] pixels of the master; the whole of it otherwise
 */

/** @satisfies {Record<string, PictureSource>} */
export const pictures = {
  hero: { master: "hero.jpg", widths: [1024, 1600] },
  heroPhone: {
    master: "hero.jpg",
    crop: { left: 740, top: 0, width: 660, height: 650 },
    widths: [440, 660],
  },
  towers: {
    master: "hero.jpg",
    crop: { left: 776, top: 144, width: 334, height: 523 },
    widths: [334],
  },
  pool: { master: "pool.jpg", widths: [480, 800] },
  southView: {
    master: "level40-south.jpg",
    crop: { left: 162, top: 4, width: 706, height: 423 },
    widths: [420, 706],
  },
  northView: {
    master: "hero.jpg",
    crop: { left: 58, top: 103, width: 720, height: 431 },
    widths: [420, 720],
  },
};
