import type { i18n } from "i18next";
import { type ComponentType, type ReactNode, StrictMode } from "react";
import { I18nextProvider } from "react-i18next";
import { Route, Routes, useLocation } from "react-router-dom";
import {
  RegistrationProvider,
  type RegistrationServices,
} from "#features/registration/registration-provider.tsx";
import type { LoadMessages } from "#i18n/load-messages.ts";
import { LoadMessagesProvider } from "#i18n/load-messages-context.ts";
import { textPart } from "#i18n/other-texts.ts";
import { HomePage } from "#pages/home/home-page.tsx";
import { NotFoundPage } from "#pages/not-found.tsx";
import { UnexpectedErrorPage } from "#pages/unexpected-error.tsx";
import { type RouteId, routeIds, routes } from "#routes.ts";
import { useHead } from "#seo/use-head.ts";
import { Shell } from "#shell/shell.tsx";
import { ErrorBoundary } from "#ui/error-boundary.tsx";

const FloorPlansPage = textPart(
  async () => (await import("#pages/floor-plans/floor-plans-page.tsx")).FloorPlansPage,
  "plans",
);

const pages: Record<RouteId, ComponentType> = {
  home: HomePage,
  floorPlans: FloorPlansPage,
  notFound: NotFoundPage,
};

interface AppProps {
  i18n: i18n;
  loadMessages: LoadMessages;
  /** Other services than the browser's own. */
  registration?: RegistrationServices;
  /** What is shown in place of the page that the address names. */
  children?: ReactNode;
}

/** The site inside a router: the browser's, or the one that prerenders. */
export function App({ i18n, loadMessages, registration, children = <Pages /> }: AppProps) {
  return (
    <StrictMode>
      <I18nextProvider i18n={i18n}>
        <LoadMessagesProvider value={loadMessages}>
          {/* Everything else is outside the pages' own boundary. */}
          <ErrorBoundary fallback={<UnexpectedErrorPage />}>
            <RegistrationProvider services={registration}>
              <Shell>{children}</Shell>
            </RegistrationProvider>
          </ErrorBoundary>
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
