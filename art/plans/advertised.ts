/** What the site says of a unit. */
export interface Advertised {
  /** Square feet. */
  size: number;
  bedrooms: number;
  bathrooms: number;
}
