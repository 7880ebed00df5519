import { useTranslation } from "react-i18next";
import { CallToAction } from "#pages/call-to-action.tsx";
import { anchors } from "#routes.ts";
import { Boundary } from "#ui/part.tsx";
import { Benefits } from "./benefits.tsx";
import { Facilities } from "./facilities.tsx";
import { Location } from "./location.tsx";
import { Overview } from "./overview.tsx";
import { ProjectInformation } from "./project-information.tsx";
import { Rooms } from "./rooms.tsx";
import { SellingPoints } from "./selling-points.tsx";

const sections = [
  Overview,
  SellingPoints,
  Rooms,
  ProjectInformation,
  Benefits,
  Facilities,
  Location,
  ShowFlatBand,
];

/** What stands between the first screen and the form. */
export function Sections() {
  return sections.map((Section) => (
    <Boundary key={Section.name}>
      <Section />
    </Boundary>
  ));
}

function ShowFlatBand() {
  const { t } = useTranslation();
  return (
    <CallToAction
      id={anchors.callToAction}
      heading={t("callToAction.heading")}
      button={t("callToAction.button")}
      sticky
    />
  );
}
