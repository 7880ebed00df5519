import type { i18n } from "i18next";
import { type ComponentType, type ReactNode, StrictMode } from "react";
import { I18nextProvider } from "react-i18next";
import { Route, Routes, useLocation } from "react-router-dom";
import { planNamed } from "#content/floor-plans.ts";
import {
  RegistrationProvider,
  type RegistrationServices,
} from "#features/registration/registration-provider.tsx";
import { NotFoundPage, UnexpectedErrorPage } from "#pages/message-pages.tsx";
import { type RouteId, routeIds, routes } from "#routes.ts";
import { PageHead } from "#seo/page-head.tsx";
import { Shell } from "#shell/shell.tsx";
import { ErrorBoundary } from "#ui/error-boundary.tsx";
import { HydrationBoundary } from "#ui/hydration-boundary.tsx";

export type Pages = Record<Exclude<RouteId, "notFound">, ComponentType>;

interface AppProps {
  i18n: i18n;
  /** In the browser, the page of the document itself and a lazy component for the other one. */
  pages: Pages;
  registration: RegistrationServices;
  /** Shown in place of the page that the address names. */
  children?: ReactNode;
}

/** The site inside a router: the browser's, or the one that prerenders. */
export function App({ i18n, pages, registration, children }: AppProps) {
  return (
    <StrictMode>
      <I18nextProvider i18n={i18n}>
        {/* Everything else is outside the pages' own boundary. */}
        <ErrorBoundary fallback={<UnexpectedErrorPage />}>
          <RegistrationProvider services={registration}>
            <Shell>
              {children ?? <CurrentPage pages={{ ...pages, notFound: NotFoundPage }} />}
            </Shell>
          </RegistrationProvider>
        </ErrorBoundary>
      </I18nextProvider>
    </StrictMode>
  );
}

function CurrentPage({ pages }: { pages: Record<RouteId, ComponentType> }) {
  const { pathname } = useLocation();
  return (
    // Outside the key: the page before stays until the code of the next one is there.
    <HydrationBoundary>
      {/* A key, so that another page is shown after one that threw. */}
      <ErrorBoundary key={pathname} fallback={<UnexpectedErrorPage />}>
        <Routes>
          {routeIds.map((id) => (
            <Route
              key={id}
              path={routes[id].path}
              caseSensitive
              element={<Page id={id} Content={pages[id]} />}
            />
          ))}
        </Routes>
      </ErrorBoundary>
    </HydrationBoundary>
  );
}

function Page({ id, Content }: { id: RouteId; Content: ComponentType }) {
  const { search } = useLocation();
  const plan = id === "floorPlans" ? planNamed(new URLSearchParams(search).get("plan")) : null;
  return (
    <>
      {/* The prerender puts it into the document itself. */}
      {import.meta.env.SSR ? null : <PageHead route={id} plan={plan} />}
      <Content />
    </>
  );
}
