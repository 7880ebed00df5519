// The first import, because it declares the order of the cascade layers.
import "#shared/styles/site.css";
import { createRoot } from "react-dom/client";
// Separate from the single stylesheet of the public pages.
import styles from "./desk.css?url";
import { Desk } from "./desk.tsx";

const root = createRoot(document.getElementById("desk") as HTMLElement);
// Appended, because React puts a stylesheet before the one that orders the layers.
const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: styles });
// The page also works without its styles.
link.onload = link.onerror = () => root.render(<Desk />);
document.head.append(link);
