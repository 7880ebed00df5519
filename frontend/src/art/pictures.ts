import { pictures as encoded } from "../../../art/dist/pictures.ts";
import type { EncodedPicture } from "./first-pictures.ts";

/** The pictures below the first screen. */
export const pictures: Record<keyof typeof encoded, EncodedPicture> = encoded;
