import { useTranslation } from "react-i18next";
import { type NavigationItem, navigation, navigationItems } from "./navigation.ts";
import { isRoute, PageLink } from "./page-link.tsx";

interface NavigationLinksProps {
  /** The item where the visitor is. */
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
