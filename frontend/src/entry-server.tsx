import type { i18n } from "i18next";
import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { I18nextProvider } from "react-i18next";
import { StaticRouter } from "react-router-dom";
import { bedroomCounts, type FloorPlanId, floorPlans, planNamed } from "#content/floor-plans.ts";
import type { RegistrationServices } from "#features/registration/registration-provider.tsx";
import { messages } from "#i18n/all-languages.ts";
import { createI18n } from "#i18n/create-i18n.ts";
import { type Language, languages } from "#i18n/language.ts";
import { FloorPlansPage } from "#pages/floor-plans/floor-plans-page.tsx";
import { HomePage } from "#pages/home/home-page.tsx";
import { NotRegistered, Registered } from "#pages/posted.tsx";
import { crawlerFiles } from "#seo/crawler-files.ts";
import { type Assets, Document, DocumentHead } from "#seo/document.tsx";
import { App } from "./app.tsx";
import { href, type RouteId, routeIds, routeOf, routes } from "./routes.ts";
import { settings } from "./settings.ts";

/** A finished document and its path under `documents/`. */
export interface PrerenderedDocument {
  path: string;
  html: string;
}

export type AssetsOf = (route: RouteId, language: Language) => Assets;

/** Files at the site's root, by name. */
export const rootFiles = crawlerFiles();

/** The origin that pages may embed, for the server's Content-Security-Policy. */
export const frameSource = new URL(settings.map.address).origin;

/** Every page in every language, the plans page for each filter and each plan, and the answers to a form without script. */
export function prerender(assetsOf: AssetsOf): PrerenderedDocument[] {
  return languages.flatMap((language) => {
    const page = (path: string, address: string) => ({
      path: `${language}/${path}`,
      html: renderPage(address, language, assetsOf),
    });
    return [
      // No address of the site matches the not-found route's pattern.
      ...routeIds.map((id) =>
        page(routes[id].document, id === "notFound" ? "/not-found" : href(id, language)),
      ),
      ...bedroomCounts.map((count) =>
        page(
          `floor-plans/bedrooms-${count}.html`,
          href("floorPlans", language, { bedrooms: String(count) }),
        ),
      ),
      ...floorPlans.map(({ id }) =>
        page(`floor-plans/plan-${id}.html`, href("floorPlans", language, { plan: id })),
      ),
      ...answersIn(language).map(({ path, title, content }) => ({
        path: `${language}/${path}`,
        html: renderAnswer(title, content, language, assetsOf),
      })),
    ];
  });
}

/** The document of an address, such as `/floor-plans?plan=B2`. */
export function renderPage(address: string, language: Language, assetsOf: AssetsOf): string {
  const { pathname, searchParams } = new URL(address, settings.siteOrigin);
  const route = routeOf(pathname);
  const plan: FloorPlanId | null =
    route === "floorPlans" ? planNamed(searchParams.get("plan")) : null;
  const texts = i18nOf(language);
  return renderDocument(
    <Document
      language={language}
      assets={assetsOf(route, language)}
      head={
        <I18nextProvider i18n={texts}>
          <DocumentHead
            route={route}
            language={language}
            messages={messages[language]}
            plan={plan}
          />
        </I18nextProvider>
      }
      html={renderApp(address, texts)}
    />,
  );
}

/** The pages that answer a form that was sent without script. They have no script either. */
function answersIn(language: Language) {
  const { posted } = messages[language].registration;
  return [
    { path: "registered.html", title: posted.title, content: <Registered /> },
    { path: "not-registered.html", title: posted.refusedTitle, content: <NotRegistered /> },
  ];
}

function renderAnswer(
  title: string,
  content: ReactNode,
  language: Language,
  assetsOf: AssetsOf,
): string {
  return renderDocument(
    <Document
      language={language}
      assets={{ ...assetsOf("notFound", language), entry: null, modules: [] }}
      head={
        <>
          <title>{title}</title>
          <meta name="robots" content="noindex" />
        </>
      }
      html={renderApp("/answer", i18nOf(language), content)}
    />,
  );
}

function renderDocument(document: ReactNode): string {
  return `<!doctype html>${renderToString(document)}`;
}

function renderApp(address: string, texts: i18n, content?: ReactNode): string {
  return renderToString(
    <StaticRouter location={address}>
      <App
        i18n={texts}
        pages={{ home: HomePage, floorPlans: FloorPlansPage }}
        registration={inertRegistration}
      >
        {content}
      </App>
    </StaticRouter>,
  );
}

function i18nOf(language: Language): i18n {
  return createI18n(language, messages[language], (key) => {
    throw new Error(`no text for ${key}`);
  });
}

/** A document does not submit: until it is hydrated, the browser sends its form. */
const inertRegistration: RegistrationServices = {
  submit: () => Promise.reject(new Error("submitted while prerendering")),
  storage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
};
