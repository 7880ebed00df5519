import type { MouseEvent } from "react";
import { Link, useLocation, useNavigate } from "react-router-dom";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { buttonRole, isPlainClick } from "#shared/ui/link-events.ts";
import { type Anchor, anchors, href, type RouteId, routes } from "#site/routes.ts";

type LinkProps = Omit<React.ComponentProps<typeof Link>, "to">;

/** A link to a page in the current language, or to a section of the home page. */
export function PageLink({ to, ...rest }: LinkProps & { to: RouteId | Anchor }) {
  const language = useLanguage();
  const navigate = useNavigate();
  const atHome = useLocation().pathname === routes.home.path;
  if (isRoute(to)) {
    return <Link to={href(to, language)} {...rest} />;
  }
  const address = `${href("home", language)}#${to}`;
  if (!atHome) {
    return <Link to={address} {...rest} />;
  }

  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    rest.onClick?.(event);
    // While the code of another page loads, the address is already that page's.
    const isLeaving = window.location.pathname !== routes.home.path;
    if (isLeaving && isPlainClick(event) && !event.defaultPrevented) {
      event.preventDefault();
      navigate(address);
    }
  }

  // On the same page a plain fragment works without JavaScript and keeps `?lang`.
  return <a href={`#${to}`} {...rest} onClick={follow} />;
}

/** The link to the form, which the specification calls a button. It changes no field of the form. */
export function RegisterLink(props: LinkProps) {
  return <PageLink {...props} to={anchors.form} {...buttonRole} />;
}

export function isRoute(to: RouteId | Anchor): to is RouteId {
  return to in routes;
}
