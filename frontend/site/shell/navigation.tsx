import { useEffect, useState } from "react";
import { useLocation } from "react-router-dom";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { type Anchor, anchors, type RouteId, routeOf } from "#site/routes.ts";
import { isRoute, PageLink } from "./page-link.tsx";

const navigation = {
  home: "home",
  floorPlans: "floorPlans",
  developer: anchors.information,
  project: anchors.overview,
  region: anchors.location,
  blog: anchors.update,
  showFlat: anchors.callToAction,
  contact: anchors.contact,
} as const satisfies Record<string, RouteId | Anchor>;

export type NavigationItem = keyof typeof navigation;

const navigationItems = Object.keys(navigation) as NavigationItem[];

const LINKED = Object.values(navigation)
  .filter((to) => !isRoute(to))
  .map((id) => `#${id}`)
  .join(", ");

interface NavigationLinksProps {
  current: NavigationItem | null;
  onFollow?: () => void;
}

export function NavigationLinks({ current, onFollow }: NavigationLinksProps) {
  const { t } = useTranslation();
  return (
    <ul className="navigation">
      {navigationItems.map((item) => {
        const to = navigation[item];
        const place = isRoute(to) ? "page" : "location";
        return (
          <li key={item}>
            <PageLink
              className="navigation-link"
              to={to}
              aria-current={item === current ? place : undefined}
              onClick={onFollow}
            >
              {t(`nav.${item}`)}
            </PageLink>
          </li>
        );
      })}
    </ul>
  );
}

/** The current page, or the current section of the home page. */
export function useCurrentItem(): NavigationItem | null {
  const page = routeOf(useLocation().pathname);
  const section = useSectionInView(page === "home");
  const place = section === "beginning" ? page : section;
  return navigationItems.find((item) => navigation[item] === place) ?? null;
}

/** The id of the linked section below the bar: `beginning` above the first, `null` in a section without a link. */
export function useSectionInView(atHome: boolean): string | null {
  const [inView, setInView] = useState<string | null>("beginning");

  useEffect(() => {
    if (!atHome) {
      return;
    }
    const linked = [...document.querySelectorAll(LINKED)];
    // Slightly below the top of a section after scrolling to it, so the previous section no longer counts.
    const padding = getComputedStyle(document.documentElement).scrollPaddingTop;
    const landingLine = (Number.parseFloat(padding) || 0) + 16;
    const observer = new IntersectionObserver(
      ([entry]) => {
        const strip = entry?.rootBounds;
        if (!strip) {
          return;
        }
        const next = linked.find((each) => each.getBoundingClientRect().bottom > strip.top);
        if (next && next.getBoundingClientRect().top < strip.bottom) {
          setInView(next.id);
        } else {
          setInView(next === linked[0] ? "beginning" : null);
        }
      },
      { rootMargin: `-${landingLine}px 0px -65% 0px` },
    );
    // Observes sections without a link too, to detect a jump between two of them.
    for (const part of document.querySelectorAll(`#main section, ${LINKED}`)) {
      observer.observe(part);
    }
    return () => {
      observer.disconnect();
      setInView("beginning");
    };
  }, [atHome]);

  return inView;
}
