import { messages } from "#i18n/create-i18n.ts";
import { type Language, languageTags } from "#i18n/language.ts";
import { type RouteId, routes } from "#routes.ts";

/** What the head of a document says, as data. */
export interface Head {
  lang: string;
  title: string;
  description: string;
  robots: "noindex" | null;
}

export function headOf(route: RouteId, language: Language): Head {
  return {
    lang: languageTags[language],
    ...messages[language].head[route],
    robots: routes[route].indexed ? null : "noindex",
  };
}

/** The head as HTML, for the prerendered document. */
export function headHtml(head: Head): string {
  const lines = [
    `<title>${escapeHtml(head.title)}</title>`,
    `<meta name="description" content="${escapeHtml(head.description)}" />`,
  ];
  if (head.robots !== null) {
    lines.push(`<meta name="robots" content="${head.robots}" />`);
  }
  return lines.join("\n    ");
}

/** Brings the head of a live document up to date after a change of language or route. */
export function applyHead(document: Document, head: Head): void {
  document.documentElement.lang = head.lang;
  document.title = head.title;
  setMeta(document, "description", head.description);
  setMeta(document, "robots", head.robots);
}

function setMeta(document: Document, name: string, content: string | null): void {
  const present = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`);
  if (content === null) {
    present?.remove();
    return;
  }
  const meta = present ?? document.head.appendChild(document.createElement("meta"));
  meta.name = name;
  meta.content = content;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
