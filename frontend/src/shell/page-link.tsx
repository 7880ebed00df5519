import { Link, useLocation } from "react-router-dom";
import { useLanguage } from "#i18n/use-language.ts";
import { type Anchor, anchors, href, type RouteId, routes } from "#routes.ts";
import { buttonRole } from "#ui/link-events.ts";

type LinkProps = Omit<React.ComponentProps<typeof Link>, "to">;

/** A link to a page in the current language, or to a section of the home page. */
export function PageLink({ to, ...rest }: LinkProps & { to: RouteId | Anchor }) {
  const language = useLanguage();
  const atHome = useLocation().pathname === routes.home.path;
  if (isRoute(to)) {
    return <Link to={href(to, language)} {...rest} />;
  }
  // On the same page a plain fragment works without JavaScript and keeps `?lang`.
  return atHome ? (
    <a href={`#${to}`} {...rest} />
  ) : (
    <Link to={`${href("home", language)}#${to}`} {...rest} />
  );
}

/** The link to the form, which the specification calls a button. `ask` presets an interest in the form. */
export function RegisterLink({ ask, ...rest }: LinkProps & { ask?: string }) {
  const language = useLanguage();
  return ask === undefined ? (
    <PageLink {...rest} to={anchors.form} {...buttonRole} />
  ) : (
    <Link {...rest} to={`${href("home", language, { ask })}#${anchors.form}`} {...buttonRole} />
  );
}

export function isRoute(to: RouteId | Anchor): to is RouteId {
  return to in routes;
}
