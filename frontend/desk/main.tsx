// First, because it declares the order of the cascade layers.
import "#styles/site.css";
import { createRoot } from "react-dom/client";
import { languageOf } from "#i18n/language.ts";
import { createDeskApi } from "./api.ts";
// Apart from the one stylesheet of the public pages.
import styles from "./desk.css?url";
import { Desk } from "./desk.tsx";

const root = document.getElementById("desk");
if (root === null) {
  throw new Error("the document has no #desk");
}
// Vite's development server has one document for both languages.
const asked = new URLSearchParams(window.location.search).get("lang");
const language = languageOf(asked ?? document.documentElement.lang);
const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: styles });
// Without its styles the page can still be used.
link.onload = link.onerror = () =>
  createRoot(root).render(<Desk language={language} api={createDeskApi(fetch)} />);
document.head.append(link);
