import { type Anchor, anchors, type RouteId } from "#routes.ts";

/** The links of bar and menu, in order: pages, and sections of the home page. */
export const navigation = [
  { text: "nav.home", page: "home" },
  { text: "nav.floorPlans", page: "floorPlans" },
  { text: "nav.developer", section: anchors.information },
  { text: "nav.project", section: anchors.overview },
  { text: "nav.region", section: anchors.location },
  { text: "nav.blog", section: anchors.update },
  { text: "nav.showFlat", section: anchors.callToAction },
  { text: "nav.contact", section: anchors.contact },
] as const satisfies readonly ({ text: string } & ({ page: RouteId } | { section: Anchor }))[];

export type NavigationItem = (typeof navigation)[number];

/** The sections of the home page that have a link. */
export const linkedSections = navigation.flatMap((item) =>
  "section" in item ? [item.section] : [],
);

export type LinkedSection = (typeof linkedSections)[number];
