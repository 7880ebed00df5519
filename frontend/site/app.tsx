import type { i18n } from "i18next";
import { type ComponentType, type ReactNode, StrictMode } from "react";
import { useLocation } from "react-router-dom";
import { I18nProvider } from "#shared/i18n/use-translation.tsx";
import { ErrorBoundary } from "#shared/ui/error-boundary.tsx";
import { HydrationBoundary } from "#shared/ui/hydration-boundary.tsx";
import {
  RegistrationProvider,
  type RegistrationServices,
} from "#site/features/registration/registration-provider.tsx";
import { ServerHtml } from "#site/features/registration/server-html.tsx";
import { NotFoundPage, UnexpectedErrorPage } from "#site/pages/message-pages.tsx";
import { type RouteId, routeOf } from "#site/routes.ts";
import { PageHead } from "#site/seo/page-head.tsx";
import { Shell } from "#site/shell/shell.tsx";

export type Pages = Record<Exclude<RouteId, "notFound">, ComponentType>;

interface AppProps {
  i18n: i18n;
  /** In the browser, the page of the document itself and a lazy component for the other one. */
  pages: Pages;
  registration: RegistrationServices;
  /** In the browser, the address and the content of the document that the server sent. */
  served?: { path: string; html: string };
  /** Replaces the page of the address. */
  children?: ReactNode;
}

/** The site inside a router: the browser's, or the one that prerenders. */
export function App({ i18n, pages, registration, served, children }: AppProps) {
  return (
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <ErrorBoundary fallback={<Crashed served={served} storage={registration.storage} />}>
          <RegistrationProvider services={registration}>
            <Shell>{children ?? <CurrentPage pages={pages} />}</Shell>
          </RegistrationProvider>
        </ErrorBoundary>
      </I18nProvider>
    </StrictMode>
  );
}

interface CrashedProps {
  served: AppProps["served"] | undefined;
  storage: RegistrationServices["storage"];
}

/** The document that the server sent, unless the visitor has left its page. */
function Crashed({ served, storage }: CrashedProps) {
  return served?.path === window.location.pathname ? (
    <ServerHtml html={served.html} storage={storage} />
  ) : (
    <UnexpectedErrorPage />
  );
}

function CurrentPage({ pages }: { pages: Pages }) {
  const { pathname } = useLocation();
  const Page = { ...pages, notFound: NotFoundPage }[routeOf(pathname)];
  return (
    // Outside the key, so the previous page stays until the code of the next one has loaded.
    <HydrationBoundary>
      {/* The key resets the boundary when the visitor leaves a page that threw. */}
      <ErrorBoundary key={pathname} fallback={<UnexpectedErrorPage />}>
        {/* The prerender adds it to the document. */}
        {import.meta.env.SSR ? null : <PageHead />}
        <Page />
      </ErrorBoundary>
    </HydrationBoundary>
  );
}
