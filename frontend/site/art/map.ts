import { mapPicture as drawn } from "../../../art/dist/map.ts";

/** Address of the map, which has no labels. The classes `map-<label>` contain their positions. */
export const mapPicture = drawn;
