import { type Language, languageTags } from "#i18n/language.ts";
import type { FirstMessages } from "#i18n/messages.ts";
import { href, type RouteId, routes } from "#routes.ts";
import { settings } from "#settings.ts";
import { alternatesOf } from "./addresses.ts";

/** What the head of a document says, as data. */
export interface Head {
  lang: string;
  title: string;
  description: string;
  robots: "noindex" | null;
  /** Canonical address and alternates; a page that is not indexed has neither. */
  links: HeadLink[];
}

/** A `<link>` by its attributes. */
export interface HeadLink {
  rel: "canonical" | "alternate";
  hreflang?: string;
  href: string;
}

/** @param messages the texts of that language */
export function headOf(
  route: RouteId,
  language: Language,
  messages: FirstMessages,
  origin = settings.siteOrigin,
): Head {
  const { indexed } = routes[route];
  return {
    lang: languageTags[language],
    ...messages.head[route],
    robots: indexed ? null : "noindex",
    links: indexed
      ? [
          { rel: "canonical", href: `${origin}${href(route, language)}` },
          ...alternatesOf(route, origin).map(
            (alternate): HeadLink => ({ rel: "alternate", ...alternate }),
          ),
        ]
      : [],
  };
}

/** Brings the head of a live document up to date after a change of language or route. */
export function applyHead(document: Document, head: Head): void {
  document.documentElement.lang = head.lang;
  document.title = head.title;
  setMeta(document, "description", head.description);
  setMeta(document, "robots", head.robots);
  for (const link of document.querySelectorAll("link[rel=canonical], link[rel=alternate]")) {
    link.remove();
  }
  document.head.append(
    ...head.links.map((link) => Object.assign(document.createElement("link"), link)),
  );
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
