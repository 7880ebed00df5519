import { renderToString } from "react-dom/server";
import { StaticRouter } from "react-router-dom";
import type { RegistrationServices } from "#features/registration/use-registration.ts";
import { messages } from "#i18n/all-languages.ts";
import { createI18n } from "#i18n/create-i18n.ts";
import { type Language, languages, languageTags } from "#i18n/language.ts";
import { crawlerFiles } from "#seo/crawler-files.ts";
import { headHtml } from "#seo/head-html.ts";
import { App } from "./app.tsx";
import { type RouteId, routeIds, routes } from "./routes.ts";
import { settings } from "./settings.ts";

/** A finished document and its path under `documents/`. */
export interface PrerenderedDocument {
  path: string;
  html: string;
}

/** The built template, and the addresses of what each language needs at once. */
export interface BuildManifest {
  template: string;
  fonts: Record<Language, string[]>;
  /** Address of the script that holds a language's texts. */
  messageScripts: Record<Language, string>;
}

/** Files at the site's root, by name. */
export const rootFiles = crawlerFiles();

/** The origin that pages may embed, for the server's Content-Security-Policy. */
export const frameSource = new URL(settings.map.address).origin;

/** Every route in every language. */
export function prerender(manifest: BuildManifest): PrerenderedDocument[] {
  return languages.flatMap((language) =>
    routeIds.map((route) => ({
      path: `${language}/${routes[route].document}`,
      html: documentOf(route, language, manifest),
    })),
  );
}

function documentOf(route: RouteId, language: Language, manifest: BuildManifest): string {
  const preloads = [
    ...manifest.fonts[language].map(
      (href) => `<link rel="preload" href="${href}" as="font" type="font/woff2" crossorigin />`,
    ),
    `<link rel="modulepreload" crossorigin href="${manifest.messageScripts[language]}" />`,
  ];
  const { styles, rest } = stylesApart(manifest.template);
  const filled = [
    ['<html lang="en">', `<html lang="${languageTags[language]}">`],
    [
      "<!--head-->",
      [...styles, ...preloads, headHtml(route, language, messages[language])].join("\n    "),
    ],
    ["<!--page-->", pageOf(route, language)],
  ].reduce((html, [mark, text]) => fill(html, mark as string, text as string), rest);
  // Everything can be read and followed before the scripts arrive: they come after what is seen.
  return filled.replaceAll(
    /<(?:script type="module"|link rel="modulepreload") /g,
    '$&fetchpriority="low" ',
  );
}

/** The stylesheets, which the bundler puts last and the first paint waits for, and the template without them. */
function stylesApart(template: string): { styles: string[]; rest: string } {
  const stylesheet = /\s*(<link rel="stylesheet"[^>]*>)/g;
  const styles = [...template.matchAll(stylesheet)].map(([, link = ""]) => link);
  return { styles, rest: template.replaceAll(stylesheet, "") };
}

function fill(html: string, mark: string, text: string): string {
  const parts = html.split(mark);
  if (parts.length !== 2) {
    throw new Error(
      `the template must hold ${mark} exactly once, but holds it ${parts.length - 1} times`,
    );
  }
  return parts.join(text);
}

function pageOf(route: RouteId, language: Language): string {
  const i18n = createI18n(language, messages[language], (key) => {
    throw new Error(`no text for ${key}`);
  });
  // No address of the site matches the not-found route's pattern by itself.
  const location = routes[route].path === "*" ? "/not-found" : routes[route].path;
  return renderToString(
    <StaticRouter location={location}>
      <App i18n={i18n} loadMessages={async (other) => messages[other]} registration={inert} />
    </StaticRouter>,
  );
}

/** A document cannot submit: its button is disabled until the page is hydrated. */
const inert: RegistrationServices = {
  submit: () => Promise.reject(new Error("submitted while prerendering")),
  newIdempotencyKey: () => {
    throw new Error("submitted while prerendering");
  },
  drafts: { read: () => null, write: () => {}, remove: () => {} },
};
