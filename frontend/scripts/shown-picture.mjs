/** The phone whose pictures are weighed: its window, and its pixels to a CSS pixel. */
export const phone = { width: 390, height: 844, density: 3 };

/**
 * Address of what the phone shows: of the AVIF candidates the smallest that fills the picture's place, or the largest
 * where that cannot be told.
 * @param {import("happy-dom").Element} element an `<img>`, or the preload of one
 * @param {import("happy-dom").Window} window of the phone's size
 */
export function shownPicture(element, window) {
  const sources = [...(element.closest("picture")?.querySelectorAll("source") ?? [])];
  const source = sources.find((candidate) => {
    const media = candidate.getAttribute("media");
    return (
      candidate.getAttribute("type") === "image/avif" &&
      (media === null || window.matchMedia(media).matches)
    );
  });
  const read = (/** @type {string} */ name) => (source ?? element).getAttribute(name);
  const set = read("srcset") ?? read("imagesrcset");
  if (set === null) {
    return element.getAttribute("src") ?? element.getAttribute("href") ?? "";
  }
  const needed = placeWidth(read("sizes") ?? read("imagesizes") ?? "100vw", window) * phone.density;
  const candidates = candidatesOf(set).sort((one, other) => one.width - other.width);
  return (candidates.find(({ width }) => width >= needed) ?? candidates.at(-1))?.address ?? "";
}

/**
 * The addresses of a `srcset` and their widths in pixels.
 * @param {string} set
 */
export function candidatesOf(set) {
  return set.split(/,\s+/).map((candidate) => {
    const [address = "", width = ""] = candidate.trim().split(/\s+/);
    return { address, width: Number.parseInt(width, 10) };
  });
}

/**
 * CSS pixels that a `sizes` attribute gives a picture; endless where it calculates.
 * @param {string} sizes
 * @param {import("happy-dom").Window} window
 */
function placeWidth(sizes, window) {
  for (const entry of sizes.split(/,(?![^(]*\))/)) {
    const [, media, length = ""] = /^(?:(.*\))\s+)?(\S+|\w+\(.*\))$/.exec(entry.trim()) ?? [];
    if (media === undefined || window.matchMedia(media).matches) {
      const [, number, unit = ""] = /^([\d.]+)(px|vw|em|rem)$/.exec(length) ?? [];
      const unitWidth = { px: 1, vw: phone.width / 100, em: 16, rem: 16 }[unit];
      return unitWidth === undefined ? Number.POSITIVE_INFINITY : Number(number) * unitWidth;
    }
  }
  return phone.width;
}
