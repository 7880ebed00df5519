// First, because it declares the order of the cascade layers.
import "#styles/site.css";

import type { i18n } from "i18next";
import { type ComponentType, StrictMode } from "react";
import { I18nextProvider } from "react-i18next";
import { Route, Routes, useLocation } from "react-router-dom";
import { RegistrationProvider } from "#features/registration/registration-provider.tsx";
import type { RegistrationServices } from "#features/registration/use-registration.ts";
import type { LoadMessages } from "#i18n/load-messages.ts";
import { LoadMessagesProvider } from "#i18n/load-messages-context.ts";
import { FloorPlansPage } from "#pages/floor-plans/floor-plans-page.tsx";
import { HomePage } from "#pages/home/home-page.tsx";
import { NotFoundPage } from "#pages/not-found.tsx";
import { UnexpectedErrorPage } from "#pages/unexpected-error.tsx";
import { type RouteId, routeIds, routes } from "#routes.ts";
import { useHead } from "#seo/use-head.ts";
import { Shell } from "#shell/shell.tsx";
import { ErrorBoundary } from "#ui/error-boundary.tsx";

const pages: Record<RouteId, ComponentType> = {
  home: HomePage,
  floorPlans: FloorPlansPage,
  notFound: NotFoundPage,
};

interface AppProps {
  i18n: i18n;
  loadMessages: LoadMessages;
  registration: RegistrationServices;
}

/** The site inside a router: the browser's, or the one that prerenders. */
export function App({ i18n, loadMessages, registration }: AppProps) {
  return (
    <StrictMode>
      <I18nextProvider i18n={i18n}>
        <LoadMessagesProvider value={loadMessages}>
          <RegistrationProvider services={registration}>
            {/* The shell is outside the pages' own boundary. */}
            <ErrorBoundary fallback={<UnexpectedErrorPage />}>
              <Shell>
                <Pages />
              </Shell>
            </ErrorBoundary>
          </RegistrationProvider>
        </LoadMessagesProvider>
      </I18nextProvider>
    </StrictMode>
  );
}

function Pages() {
  const { pathname } = useLocation();
  return (
    // A key, so that another page has its own chance after one that threw.
    <ErrorBoundary key={pathname} fallback={<UnexpectedErrorPage />}>
      <Routes>
        {routeIds.map((id) => (
          <Route key={id} path={routes[id].path} caseSensitive element={<Page id={id} />} />
        ))}
      </Routes>
    </ErrorBoundary>
  );
}

function Page({ id }: { id: RouteId }) {
  useHead(id);
  const Content = pages[id];
  return <Content />;
}
