declare module "virtual:map" {
  /** Address of the map, as `scripts/map.ts` drew it; the module brings the measures of its labels with it. */
  export const mapPicture: string;
}
