// biome-ignore lint/performance/noBarrelFile: until its last user is gone.
export { Link } from "react-router-dom";
