import type { FloorPlanId } from "#content/floor-plans.ts";
import { type Language, languageTags } from "#i18n/language.ts";
import type { Messages } from "#i18n/messages.ts";
import { type RouteId, routes } from "#routes.ts";
import { settings } from "#settings.ts";
import { openGraphOf } from "./open-graph.ts";
import { PageHead, usePageTexts } from "./page-head.tsx";
import { structuredData, structuredDataJson } from "./structured-data.ts";

/** The addresses of what a document needs, in the order in which it is fetched. */
export interface Assets {
  styles: string[];
  fonts: string[];
  /** The entry script, or none for a document without script. */
  entry: string | null;
}

interface DocumentProps {
  language: Language;
  assets: Assets;
  head: React.ReactNode;
  /** The rendered page. */
  html: string;
}

/** The whole document around a rendered page. The page is hydrated, the rest never is. */
export function Document({ language, assets, head, html }: DocumentProps) {
  return (
    <html lang={languageTags[language]}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="theme-color" content="#f7f3ec" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/manifest.webmanifest" />
        {assets.styles.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        {assets.fonts.map((href) => (
          <link key={href} rel="preload" href={href} as="font" type="font/woff2" crossOrigin="" />
        ))}
        {head}
        {/* A document can be read and its links followed before its scripts arrive. */}
        {assets.entry && (
          <script type="module" src={assets.entry} crossOrigin="" fetchPriority="low" />
        )}
      </head>
      <body>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: rendered by React. */}
        <div id="root" dangerouslySetInnerHTML={{ __html: html }} />
      </body>
    </html>
  );
}

interface HeadProps {
  route: RouteId;
  language: Language;
  messages: Messages;
  plan: FloorPlanId | null;
  origin?: string;
}

/** The head of a page of the site, with what shared links and search engines read. */
export function DocumentHead(props: HeadProps) {
  const { route, language, messages, plan, origin = settings.siteOrigin } = props;
  const texts = usePageTexts(route, plan);
  return (
    <>
      <PageHead route={route} plan={plan} />
      {routes[route].indexed && (
        <>
          {openGraphOf({ route, language, plan, ...texts, origin }).map(([property, content]) => (
            <meta key={property} property={property} content={content} />
          ))}
          <meta name="twitter:card" content="summary_large_image" />
          <script
            type="application/ld+json"
            // biome-ignore lint/security/noDangerouslySetInnerHtml: React would escape the quotes.
            dangerouslySetInnerHTML={{
              __html: structuredDataJson(structuredData(language, messages, origin)),
            }}
          />
        </>
      )}
    </>
  );
}
