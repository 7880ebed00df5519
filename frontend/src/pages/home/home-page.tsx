import { useTranslation } from "react-i18next";
import { PrivacyPolicy } from "#features/privacy/privacy-policy.tsx";
import { ContactSection } from "#features/registration/contact-section.tsx";
import { CallToAction } from "#pages/call-to-action.tsx";
import { UnexpectedErrorPage } from "#pages/message-pages.tsx";
import { anchors } from "#routes.ts";
import { ErrorBoundary } from "#ui/error-boundary.tsx";
import { HydrationBoundary } from "#ui/hydration-boundary.tsx";
import { Benefits } from "./benefits.tsx";
import { Facilities } from "./facilities.tsx";
import { Hero } from "./hero.tsx";
import { LatestUpdate } from "./latest-update.tsx";
import { Location } from "./location.tsx";
import { Overview } from "./overview.tsx";
import { ProjectInformation } from "./project-information.tsx";
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
  ShowFlatBand,
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
      {/* Separate, so that a fault elsewhere never takes the form away. */}
      <ErrorBoundary fallback={<UnexpectedErrorPage />}>
        <HydrationBoundary>
          <ContactSection />
        </HydrationBoundary>
        <HydrationBoundary>
          <PrivacyPolicy />
        </HydrationBoundary>
      </ErrorBoundary>
    </>
  );
}

function ShowFlatBand() {
  const { t } = useTranslation();
  return (
    <CallToAction
      id={anchors.callToAction}
      heading={t("callToAction.heading")}
      button={t("callToAction.button")}
    />
  );
}
