import type { AnchorHTMLAttributes } from "react";
import { Link, useLocation } from "react-router-dom";
import { useLanguage } from "#i18n/use-language.ts";
import { type Anchor, href, routes } from "#routes.ts";

interface AnchorLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  to: Anchor;
}

/** A link to a section of the home page, from any page. */
export function AnchorLink({ to, ...rest }: AnchorLinkProps) {
  const language = useLanguage();
  const atHome = useLocation().pathname === routes.home.path;
  // On the page itself a plain fragment works without script, and keeps `?lang`.
  return atHome ? (
    <a href={`#${to}`} {...rest} />
  ) : (
    <Link to={`${href("home", language)}#${to}`} {...rest} />
  );
}
