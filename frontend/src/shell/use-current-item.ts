import { matchPath, useLocation } from "react-router-dom";
import { routes } from "#routes.ts";
import { type NavigationItem, navigation } from "./navigation.ts";
import { useSectionInView } from "./use-section-in-view.ts";

/** Where the visitor is: the page, or on the home page, below its beginning, the section that is read. */
export function useCurrentItem(): NavigationItem | null {
  const { pathname } = useLocation();
  const section = useSectionInView(pathname === routes.home.path);
  return (
    navigation.find((item) =>
      "page" in item
        ? matchPath(routes[item.page].path, pathname) !== null && section === "beginning"
        : item.section === section,
    ) ?? null
  );
}
