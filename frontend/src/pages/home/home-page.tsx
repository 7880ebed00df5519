import { useTranslation } from "react-i18next";
import { PrivacyPolicy } from "#features/privacy/privacy-policy.tsx";
import { ContactSection } from "#features/registration/contact-section.tsx";
import { CallToAction } from "#pages/call-to-action.tsx";
import { anchors } from "#routes.ts";
import { Benefits } from "./benefits.tsx";
import { Facilities } from "./facilities.tsx";
import { Hero } from "./hero.tsx";
import { LatestUpdate } from "./latest-update.tsx";
import { Location } from "./location.tsx";
import { Overview } from "./overview.tsx";
import { ProjectInformation } from "./project-information.tsx";
import { SellingPoints } from "./selling-points.tsx";

export function HomePage() {
  const { t } = useTranslation();
  return (
    <>
      <div>
        <Hero />
        <LatestUpdate />
        <Overview />
        <SellingPoints />
        <ProjectInformation />
        <Benefits />
        <Facilities />
        <Location />
        <CallToAction
          id={anchors.callToAction}
          heading={t("callToAction.heading")}
          button={t("callToAction.button")}
          sticky
        />
      </div>
      <ContactSection />
      <PrivacyPolicy />
    </>
  );
}
