import { PrivacyPolicy } from "#features/privacy/privacy-policy.tsx";
import { RegistrationForm } from "#features/registration/registration-form.tsx";
import { CallToAction } from "#pages/call-to-action.tsx";
import { UnexpectedErrorPage } from "#pages/message-pages.tsx";
import { ErrorBoundary } from "#ui/error-boundary.tsx";
import { HydrationBoundary } from "#ui/hydration-boundary.tsx";
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
      <ErrorBoundary fallback={<UnexpectedErrorPage />}>
        <div>
          {Object.entries(sections).map(([name, Section]) => (
            <HydrationBoundary key={name}>
              <Section />
            </HydrationBoundary>
          ))}
        </div>
      </ErrorBoundary>
      {/* Separate, so an error in another section does not remove the form. */}
      <ErrorBoundary fallback={<UnexpectedErrorPage />}>
        <HydrationBoundary>
          <RegistrationForm />
        </HydrationBoundary>
        <HydrationBoundary>
          <PrivacyPolicy />
        </HydrationBoundary>
      </ErrorBoundary>
    </>
  );
}
