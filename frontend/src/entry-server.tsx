import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { StaticRouter } from "react-router-dom";
import { bedroomCounts } from "#content/floor-plans.ts";
import type { RegistrationServices } from "#features/registration/registration-provider.tsx";
import { messages } from "#i18n/all-languages.ts";
import { createI18n } from "#i18n/create-i18n.ts";
import { type Language, languages, languageTags } from "#i18n/language.ts";
import { NotRegistered, Registered } from "#pages/posted.tsx";
import { crawlerFiles } from "#seo/crawler-files.ts";
import { headHtml } from "#seo/head-html.ts";
import { loadAllParts } from "#ui/part.tsx";
import { App } from "./app.tsx";
import { href, type RouteId, routeIds, routes } from "./routes.ts";
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

/** Every route in every language, the plans by bedrooms, and the answers to a form that was posted. */
export async function prerender(manifest: BuildManifest): Promise<PrerenderedDocument[]> {
  await loadAllParts();
  return languages.flatMap((language) => [
    ...routeIds.map((route) => ({
      path: `${language}/${routes[route].document}`,
      html: documentOf(
        language,
        manifest,
        headOf(route, language),
        pageAt(addressOf(route), language),
      ),
    })),
    ...bedroomCounts.map((count) => ({
      path: `${language}/floor-plans/bedrooms-${count}.html`,
      html: documentOf(
        language,
        manifest,
        headOf("floorPlans", language),
        pageAt(href("floorPlans", language, { bedrooms: String(count) }), language),
      ),
    })),
    ...answersIn(language).map(({ path, title, page }) => ({
      path: `${language}/${path}`,
      html: withoutScript(
        documentOf(
          language,
          manifest,
          `<title>${title}</title><meta name="robots" content="noindex" />`,
          pageAt("/answer", language, page),
        ),
      ),
    })),
  ]);
}

/** The pages that answer a form which was posted without script; they have none either. */
function answersIn(language: Language) {
  const { posted } = messages[language].registration;
  return [
    { path: "registered.html", title: posted.title, page: <Registered /> },
    { path: "not-registered.html", title: posted.refusedTitle, page: <NotRegistered /> },
  ];
}

function withoutScript(html: string): string {
  return html.replaceAll(
    /\s*<script type="module"[^>]*><\/script>|\s*<link rel="modulepreload"[^>]*>/g,
    "",
  );
}

function headOf(route: RouteId, language: Language): string {
  return headHtml(route, language, messages[language]);
}

function addressOf(route: RouteId): string {
  // No address of the site matches the not-found route's pattern by itself.
  return routes[route].path === "*" ? "/not-found" : routes[route].path;
}

function documentOf(
  language: Language,
  manifest: BuildManifest,
  head: string,
  page: string,
): string {
  const preloads = [
    ...manifest.fonts[language].map(
      (href) => `<link rel="preload" href="${href}" as="font" type="font/woff2" crossorigin />`,
    ),
    `<link rel="modulepreload" crossorigin href="${manifest.messageScripts[language]}" />`,
  ];
  const { styles, rest } = stylesApart(manifest.template);
  const filled = [
    ['<html lang="en">', `<html lang="${languageTags[language]}">`],
    ["<!--head-->", [...styles, ...preloads, head].join("\n    ")],
    ["<!--page-->", page],
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

/** @param page what is shown in place of the page at that address */
function pageAt(location: string, language: Language, page?: ReactNode): string {
  const i18n = createI18n(language, messages[language], (key) => {
    throw new Error(`no text for ${key}`);
  });
  return renderToString(
    <StaticRouter location={location}>
      <App i18n={i18n} loadMessages={async (other) => messages[other]} registration={inert}>
        {page}
      </App>
    </StaticRouter>,
  );
}

/** A document does not submit: until it is hydrated its form posts. */
const inert: RegistrationServices = {
  submit: () => Promise.reject(new Error("submitted while prerendering")),
  newIdempotencyKey: () => {
    throw new Error("submitted while prerendering");
  },
  drafts: { read: () => null, write: () => {}, remove: () => {} },
};
