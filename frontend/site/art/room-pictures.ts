import { roomPictures as drawn } from "../../../art/dist/room-pictures.ts";

/** The pictures of the rooms that have an eye, by plan and view. Only a room that is open loads them. */
export const roomPictures = drawn;
