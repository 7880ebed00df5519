import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useLanguage } from "#i18n/use-language.ts";
import { href } from "#routes.ts";
import { AnchorLink } from "./anchor-link.tsx";
import { type NavigationItem, navigation } from "./navigation.ts";

interface NavigationLinksProps {
  /** The item where the visitor is. */
  current: NavigationItem | null;
  onFollow?: () => void;
}

export function NavigationLinks({ current, onFollow }: NavigationLinksProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <ul className="navigation">
      {navigation.map((item) => {
        const here = item === current;
        return (
          <li key={item.text}>
            {"page" in item ? (
              <Link
                className="navigation-link"
                to={href(item.page, language)}
                aria-current={here ? "page" : undefined}
                onClick={onFollow}
              >
                {t(item.text)}
              </Link>
            ) : (
              <AnchorLink
                className="navigation-link"
                to={item.section}
                aria-current={here ? "location" : undefined}
                onClick={onFollow}
              >
                {t(item.text)}
              </AnchorLink>
            )}
          </li>
        );
      })}
    </ul>
  );
}
