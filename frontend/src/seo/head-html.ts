import type { Language } from "#i18n/language.ts";
import type { Messages } from "#i18n/messages.ts";
import type { RouteId } from "#routes.ts";
import { settings } from "#settings.ts";
import { headOf } from "./head.ts";
import { openGraphOf } from "./open-graph.ts";
import { structuredData, structuredDataHtml } from "./structured-data.ts";

/** The head of a prerendered document. More than the live head: what is for other programs never changes in place. */
export function headHtml(
  route: RouteId,
  language: Language,
  messages: Messages,
  origin = settings.siteOrigin,
): string {
  const head = headOf(route, language, messages, origin);
  const lines = [
    `<title>${escapeHtml(head.title)}</title>`,
    element("meta", { name: "description", content: head.description }),
  ];
  if (head.robots !== null) {
    return [...lines, element("meta", { name: "robots", content: head.robots })].join(SEPARATOR);
  }
  return [
    ...lines,
    ...head.links.map((link) => element("link", { ...link })),
    ...openGraphOf(route, language, messages, origin).map(([property, content]) =>
      element("meta", { property, content }),
    ),
    element("meta", { name: "twitter:card", content: "summary_large_image" }),
    structuredDataHtml(structuredData(language, messages, origin)),
  ].join(SEPARATOR);
}

const SEPARATOR = "\n    ";

function element(name: "meta" | "link", attributes: Record<string, string>): string {
  const pairs = Object.entries(attributes).map(([key, value]) => `${key}="${escapeHtml(value)}"`);
  return `<${[name, ...pairs].join(" ")} />`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
