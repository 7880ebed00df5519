// Written by `npm run draw` in art/.
import "./map.css";
import map from "./map.svg";

export const mapPicture = map;
