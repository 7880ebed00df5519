import { type Language, languageTags, otherLanguage } from "#shared/i18n/language.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { project } from "#site/content/project.ts";
import type { Messages } from "#site/i18n/messages.ts";
import { href, routes } from "#site/routes.ts";
import { settings } from "#site/settings.ts";
import { PageHead, usePage } from "./page-head.tsx";
import { useSharedPicture } from "./shared-picture.ts";
import { questionsData, structuredData, structuredDataJson } from "./structured-data.ts";

/** The addresses of a document's assets, in the order of loading. */
export interface Assets {
  style: string | null;
  fonts: string[];
  /** The entry script, and the modules that it loads later; absent in a document without script. */
  scripts: { entry: string; modules: string[] } | null;
}

interface DocumentProps {
  assets: Assets;
  head: React.ReactNode;
  html: string;
}

/** The document around a rendered page. Only the page is hydrated. */
export function Document({ assets, head, html }: DocumentProps) {
  return (
    <html lang={languageTags[useLanguage()]}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="theme-color" content="#f7f3ec" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/manifest.webmanifest" />
        {assets.style && <link rel="stylesheet" href={assets.style} />}
        {assets.fonts.map((href) => (
          <link key={href} rel="preload" href={href} as="font" type="font/woff2" crossOrigin="" />
        ))}
        {head}
        {/* The document is readable and its links work before the scripts load. */}
        {assets.scripts && (
          <script
            type="module"
            src={assets.scripts.entry}
            crossOrigin=""
            fetchPriority="low"
            data-modules={assets.scripts.modules.join(" ") || undefined}
          />
        )}
      </head>
      <body>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: rendered by React. */}
        <div id="root" dangerouslySetInnerHTML={{ __html: html }} />
      </body>
    </html>
  );
}

/** Open Graph requires a country, and its list has no Chinese for Singapore. */
const locales: Record<Language, string> = { en: "en_SG", zh: "zh_CN" };

/** The head of a page, with metadata for shared links and search engines. */
export function DocumentHead({ messages }: { messages: Messages }) {
  const language = useLanguage();
  const { route, plan, title, description } = usePage();
  const picture = useSharedPicture(plan);
  const origin = settings.siteOrigin;
  if (!routes[route].indexed) {
    return <PageHead />;
  }
  const shared = {
    "og:type": "website",
    "og:site_name": project.name,
    "og:title": title,
    "og:description": description,
    "og:url": origin + href(route, language, { ...(plan && { plan }), ...picture.view }),
    "og:locale": locales[language],
    "og:locale:alternate": locales[otherLanguage(language)],
    "og:image": origin + picture.path,
    "og:image:width": String(picture.width),
    "og:image:height": String(picture.height),
    "og:image:alt": picture.alt,
  };
  const data = [
    structuredData(language, messages, origin),
    ...(route === "home" ? [questionsData(messages)] : []),
  ];
  return (
    <>
      <PageHead />
      {Object.entries(shared).map(([property, content]) => (
        <meta key={property} property={property} content={content} />
      ))}
      <meta name="twitter:card" content="summary_large_image" />
      {data.map((each) => (
        <script
          key={"@graph" in each ? "graph" : each["@type"]}
          type="application/ld+json"
          // biome-ignore lint/security/noDangerouslySetInnerHtml: React would escape the quotes.
          dangerouslySetInnerHTML={{ __html: structuredDataJson(each) }}
        />
      ))}
    </>
  );
}
