// First, because it declares the order of the cascade layers.
import "#styles/site.css";
import { createRoot } from "react-dom/client";
// Apart from the one stylesheet of the public pages.
import styles from "./desk.css?url";
import { Desk } from "./desk.tsx";

createRoot(document.getElementById("desk") as HTMLElement).render(
  <>
    <link rel="stylesheet" href={styles} precedence="default" />
    <Desk />
  </>,
);
