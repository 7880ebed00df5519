// First, because it declares the order of the cascade layers.
import "#styles/site.css";
import { createRoot } from "react-dom/client";
import { languageOf } from "#i18n/language.ts";
import { createDeskApi } from "#pages/desk/api.ts";
// Apart from the one stylesheet of the public pages.
import styles from "#pages/desk/desk.css?url";
import { Desk } from "#pages/desk/desk.tsx";

const root = document.getElementById("desk");
if (root === null) {
  throw new Error("the document has no #desk");
}
const language = languageOf(document.documentElement.lang);
const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: styles });
// Without its styles the page can still be used.
link.onload = link.onerror = () =>
  createRoot(root).render(<Desk language={language} api={createDeskApi(fetch)} />);
document.head.append(link);
