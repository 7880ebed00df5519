import { languages } from "#shared/i18n/language.ts";
import { href, routeIds, routes } from "#site/routes.ts";
import { settings } from "#site/settings.ts";
import { alternatesOf } from "./page-head.tsx";

/** The contents of robots.txt and sitemap.xml, by name. */
export function crawlerFiles(origin = settings.siteOrigin): Record<string, string> {
  return { "sitemap.xml": sitemap(origin), "robots.txt": robots(origin) };
}

/** Every indexed page in every language, each with its alternates. */
function sitemap(origin: string): string {
  const pages = routeIds.filter((route) => routes[route].indexed);
  const entries = pages.flatMap((route) => {
    const alternates = alternatesOf(route, origin).map(
      ({ hreflang, href }) =>
        `    <xhtml:link rel="alternate" hreflang="${hreflang}" href="${href}" />\n`,
    );
    return languages.map(
      (language) => `  <url>
    <loc>${origin}${href(route, language)}</loc>
${alternates.join("")}  </url>
`,
    );
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${entries.join("")}</urlset>
`;
}

/** Allows all pages, and disallows the API. */
function robots(origin: string): string {
  return `User-agent: *
Disallow: /api/
Disallow: /auth/
Disallow: /functions/

Sitemap: ${origin}/sitemap.xml
`;
}
