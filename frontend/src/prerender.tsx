import { renderToString } from "react-dom/server";
import { StaticRouter } from "react-router-dom";
import type { RegistrationServices } from "#features/registration/registration-context.ts";
import { createI18n } from "#i18n/create-i18n.ts";
import { type Language, languages } from "#i18n/language.ts";
import { type RouteId, routeIds, routes } from "#routes.ts";
import { headHtml, headOf } from "#seo/head.ts";
import { App } from "./app.tsx";

/** A finished document and its path under `documents/`. */
export interface PrerenderedDocument {
  path: string;
  html: string;
}

/** The built template, and the addresses of the fonts that each language needs at once. */
export interface Shelf {
  template: string;
  fonts: Record<Language, string[]>;
}

/** Every route in every language. */
export function prerender(shelf: Shelf): PrerenderedDocument[] {
  return languages.flatMap((language) =>
    routeIds.map((route) => ({
      path: `${language}/${routes[route].document}`,
      html: documentOf(route, language, shelf),
    })),
  );
}

function documentOf(route: RouteId, language: Language, shelf: Shelf): string {
  const head = headOf(route, language);
  const preloads = shelf.fonts[language].map(
    (href) => `<link rel="preload" href="${href}" as="font" type="font/woff2" crossorigin />`,
  );
  return [
    ['<html lang="en">', `<html lang="${head.lang}">`],
    ["<!--head-->", [headHtml(head), ...preloads].join("\n    ")],
    ["<!--page-->", pageOf(route, language)],
  ].reduce((html, [mark, text]) => fill(html, mark as string, text as string), shelf.template);
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
  const i18n = createI18n(language, (key) => {
    throw new Error(`no text for ${key}`);
  });
  // No address of the site matches the not-found route's pattern by itself.
  const location = routes[route].path === "*" ? "/not-found" : routes[route].path;
  return renderToString(
    <StaticRouter location={location}>
      <App i18n={i18n} registration={inert} />
    </StaticRouter>,
  );
}

/** A document cannot submit: its button is disabled until the page is hydrated. */
const inert: RegistrationServices = {
  submit: () => Promise.reject(new Error("submitted while prerendering")),
  newIdempotencyKey: () => {
    throw new Error("submitted while prerendering");
  },
};
