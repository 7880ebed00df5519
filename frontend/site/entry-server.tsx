import { renderToString } from "react-dom/server";
import { StaticRouter } from "react-router-dom";
import { bedroomCounts, floorPlans } from "#shared/content/floor-plans.ts";
import { type Language, languages } from "#shared/i18n/language.ts";
import { I18nProvider } from "#shared/i18n/use-translation.tsx";
import { roomPoints } from "#site/art/room-points.ts";
import privacyVersions from "#site/content/privacy/versions.json" with { type: "json" };
import { type PolicyTexts, PrivacyText } from "#site/features/privacy/privacy-policy.tsx";
import type { RegistrationServices } from "#site/features/registration/registration-provider.tsx";
import { messages } from "#site/i18n/all-languages.ts";
import { createI18n } from "#site/i18n/create-i18n.ts";
import { Agree, Agreed } from "#site/pages/consent-pages.tsx";
import { consentTexts } from "#site/pages/consent-texts.ts";
import { FloorPlansPage } from "#site/pages/floor-plans/floor-plans-page.tsx";
import { HomePage } from "#site/pages/home/home-page.tsx";
import { tokenMark } from "#site/pages/message-pages.tsx";
import { NotRegistered, Registered } from "#site/pages/posted-pages.tsx";
import { postedTexts } from "#site/pages/posted-texts.ts";
import { NotWithdrawn, Withdraw, Withdrawn } from "#site/pages/withdrawal-pages.tsx";
import { withdrawalTexts } from "#site/pages/withdrawal-texts.ts";
import { crawlerFiles } from "#site/seo/crawler-files.ts";
import { type Assets, Document, DocumentHead } from "#site/seo/document.tsx";
import { App } from "./app.tsx";
import { href, type RouteId, routeIds, routeOf, routes } from "./routes.ts";
import { settings } from "./settings.ts";

export type AssetsOf = (language: Language, route: RouteId) => Assets;

/** Files in the root of the site, by name. `leadctl canary` reads the key, so it sends the key that the pages send. */
export const rootFiles = { ...crawlerFiles(), "anon-key.txt": `${settings.publicKey}\n` };

/** The origin that pages may embed, for the server's Content-Security-Policy. */
export const frameSource = new URL(settings.map.address).origin;

const policies: Record<string, PolicyTexts> = import.meta.glob("./content/privacy/*.*.json", {
  import: "default",
  eager: true,
});

/** Every page in every language, the plans page for each filter, plan and room, and the pages that nginx fills in. */
export function prerender(assetsOf: AssetsOf) {
  return languages.flatMap((language) => {
    const page = (path: string, address: string) => ({
      path: `${language}/${path}`,
      html: renderPage(address, language, assetsOf),
    });
    const plans = (name: string, parameters: Record<string, string>) =>
      page(`floor-plans/${name}.html`, href("floorPlans", language, parameters));
    // A page outside the routes, such as the response to the no-JavaScript form. It has no script.
    const answer = (name: string, title: string, content: React.ReactNode, query = "") => {
      const assets = { ...assetsOf(language, "notFound"), scripts: null };
      const head = (
        <>
          <title>{title}</title>
          <meta name="robots" content="noindex" />
        </>
      );
      const html = renderDocument(`/answer${query}`, language, assets, head, content);
      return { path: `${language}/${name}.html`, html: withDirectives(html) };
    };
    const posted = postedTexts[language];
    const withdrawal = withdrawalTexts[language];
    const consent = consentTexts[language];
    return [
      ...routeIds.map((id) =>
        // No address of the site matches the not-found route's pattern.
        page(routes[id].document, id === "notFound" ? "/not-found" : href(id, language)),
      ),
      ...bedroomCounts.map((count) => plans(`bedrooms-${count}`, { bedrooms: String(count) })),
      ...floorPlans.map(({ id }) => plans(`plan-${id}`, { plan: id })),
      ...floorPlans.flatMap(({ id }) =>
        (roomPoints[id] ?? []).map(([view]) => plans(`plan-${id}-${view}`, { plan: id, view })),
      ),
      answer(
        "registered",
        posted.title,
        <Registered />,
        `?reference=${marks.reference}&token=${tokenMark}`,
      ),
      answer("not-registered", posted.refusedTitle, <NotRegistered />, `?errors=${marks.errors}`),
      answer("agree", consent.title, <Agree language={language} />, `?token=${tokenMark}`),
      answer(
        "agreed",
        consent.doneTitle,
        <Agreed language={language} />,
        `?channel=${marks.channel}`,
      ),
      answer("withdraw", withdrawal.title, <Withdraw language={language} />, `?token=${tokenMark}`),
      answer(
        "withdrawn",
        withdrawal.doneTitle,
        <Withdrawn language={language} />,
        `?request=${marks.request}`,
      ),
      ...privacyVersions.map(({ version }) => {
        const texts = policies[`./content/privacy/${version}.${language}.json`];
        if (texts === undefined) {
          throw new Error(`no privacy policy ${version} in ${language}`);
        }
        const content = <PrivacyText texts={texts} version={version} isPage />;
        return answer(`privacy/${version}`, `${texts.heading}: Zyon Grand`, content);
      }),
      answer(
        "not-withdrawn",
        withdrawal.failedTitle,
        <NotWithdrawn language={language} />,
        `?errors=${marks.errors}`,
      ),
    ];
  });
}

/** Placeholders in the link to the other language, so that the page shows there what it shows here. */
const marks = {
  reference: "REFERENCE_MARK",
  errors: "ERRORS_MARK",
  request: "REQUEST_MARK",
  channel: "CHANNEL_MARK",
};

/** Replaces placeholders by SSI directives of nginx, which inserts only values that it has checked. */
function withDirectives(html: string): string {
  const variables = {
    [tokenMark]: "withdrawal_token",
    [marks.reference]: "reference",
    [marks.errors]: "error_codes",
    [marks.request]: "withdrawal_request",
    [marks.channel]: "agreed_channel",
  };
  return Object.entries(variables).reduce(
    (text, [mark, name]) => text.replaceAll(mark, `<!--# echo var="${name}" default="" -->`),
    html,
  );
}

/** The document of an address, such as `/floor-plans?plan=B2`. */
export function renderPage(address: string, language: Language, assetsOf: AssetsOf): string {
  const head = <DocumentHead messages={messages[language]} />;
  const [path = ""] = address.split("?");
  return renderDocument(address, language, assetsOf(language, routeOf(path)), head);
}

function renderDocument(
  address: string,
  language: Language,
  assets: Assets,
  head: React.ReactNode,
  content?: React.ReactNode,
): string {
  const i18n = createI18n(language, messages[language], (key) => {
    throw new Error(`no text for ${key}`);
  });
  const html = renderToString(
    <StaticRouter location={address}>
      <App
        i18n={i18n}
        pages={{ home: HomePage, floorPlans: FloorPlansPage }}
        registration={inertRegistration}
      >
        {content}
      </App>
    </StaticRouter>,
  );
  const document = renderToString(
    <StaticRouter location={address}>
      <I18nProvider i18n={i18n}>
        <Document assets={assets} head={head} html={html} />
      </I18nProvider>
    </StaticRouter>,
  );
  return `<!doctype html>${document}`;
}

/** Unused: the prerender does not submit, and until hydration the browser sends the form. */
const inertRegistration: RegistrationServices = {
  submit: () => Promise.reject(new Error("submitted while prerendering")),
  storage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
};
