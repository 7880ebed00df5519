import { mapPicture as drawn } from "../../../art/dist/map.ts";

/** Address of the map, which has no labels: the classes `map-<label>` say where these are. */
export const mapPicture = drawn;
