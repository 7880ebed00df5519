import { useState } from "react";
import { ErrorBoundary } from "#shared/ui/error-boundary.tsx";
import { HydrationBoundary } from "#shared/ui/hydration-boundary.tsx";
import { PrivacyPolicy } from "#site/features/privacy/privacy-policy.tsx";
import { RegistrationForm } from "#site/features/registration/registration-form.tsx";
import { useRegistrationState } from "#site/features/registration/registration-provider.tsx";
import { ServerHtml } from "#site/features/registration/server-html.tsx";
import { CallToAction } from "#site/pages/call-to-action.tsx";
import { UnexpectedError, UnexpectedErrorPage } from "#site/pages/message-pages.tsx";
import { anchors } from "#site/routes.ts";
import { Benefits } from "./benefits.tsx";
import { Facilities } from "./facilities.tsx";
import { Hero } from "./hero.tsx";
import { LatestUpdate } from "./latest-update.tsx";
import { Location } from "./location.tsx";
import { Overview } from "./overview.tsx";
import { ProjectInformation } from "./project-information.tsx";
import { Questions } from "./questions.tsx";
import { Rooms } from "./rooms.tsx";
import { SellingPoints } from "./selling-points.tsx";

const sections = {
  Hero,
  LatestUpdate,
  Overview,
  SellingPoints,
  Rooms,
  ProjectInformation,
  Benefits,
  Facilities,
  Location,
  Questions,
  ShowFlatBand: () => <CallToAction of="callToAction" />,
};

export function HomePage() {
  return (
    <>
      <div>
        {Object.entries(sections).map(([name, Section]) => (
          // Separate, so an error in one section leaves the others and the form as they are.
          <ErrorBoundary key={name} fallback={<UnexpectedError />}>
            <HydrationBoundary>
              <Section />
            </HydrationBoundary>
          </ErrorBoundary>
        ))}
      </div>
      <Form />
      <ErrorBoundary fallback={<UnexpectedError />}>
        <HydrationBoundary>
          <PrivacyPolicy />
        </HydrationBoundary>
      </ErrorBoundary>
    </>
  );
}

/** The form, or after an error the form that the server sent. */
function Form() {
  const { storage } = useRegistrationState().services;
  const [html] = useState(
    // There is no document while prerendering, and no form after a link from another page.
    () => globalThis.document?.getElementById(anchors.contact)?.outerHTML ?? null,
  );
  return (
    <ErrorBoundary
      fallback={
        html === null ? <UnexpectedErrorPage /> : <ServerHtml html={html} storage={storage} />
      }
    >
      <HydrationBoundary>
        <RegistrationForm />
      </HydrationBoundary>
    </ErrorBoundary>
  );
}
