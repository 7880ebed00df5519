/** Figures of a unit on the site. */
export interface Advertised {
  /** Square feet. */
  size: number;
  bedrooms: number;
  bathrooms: number;
}
