import { useLocation } from "react-router-dom";
import { planNamed } from "#shared/content/floor-plans.ts";
import { defaultLanguage, languages, languageTags } from "#shared/i18n/language.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { breakable } from "#site/i18n/breakable.ts";
import { href, type RouteId, routeOf, routes } from "#site/routes.ts";
import { settings } from "#site/settings.ts";

/** Title, description and addresses of a page. React moves these elements to the document's head. */
export function PageHead() {
  const language = useLanguage();
  const { route, title, description } = usePage();
  const origin = settings.siteOrigin;
  return (
    <>
      <title>{title}</title>
      <meta name="description" content={description} />
      {routes[route].indexed ? (
        <>
          <link rel="canonical" href={`${origin}${href(route, language)}`} />
          {alternatesOf(route, origin).map(({ hreflang, href }) => (
            <link key={hreflang} rel="alternate" hrefLang={hreflang} href={href} />
          ))}
        </>
      ) : (
        <meta name="robots" content="noindex" />
      )}
    </>
  );
}

/** The texts of the page, or of the plan in `?plan=B2`. */
export function usePage() {
  const { t } = useTranslation();
  const { pathname, search } = useLocation();
  const route = routeOf(pathname);
  const plan = route === "floorPlans" ? planNamed(new URLSearchParams(search).get("plan")) : null;
  const name = plan && breakable(t(`unit.${plan}.heading`));
  return {
    route,
    plan,
    title: name ? t("head.plan", { name }) : t(`head.${route}.title`),
    description: plan ? breakable(t(`plans.about.${plan}`)) : t(`head.${route}.description`),
  };
}

/** The addresses of the page in every language, and the default for other languages. */
export function alternatesOf(route: RouteId, origin: string) {
  return [
    ...languages.map((language) => ({
      hreflang: languageTags[language],
      href: `${origin}${href(route, language)}`,
    })),
    { hreflang: "x-default", href: `${origin}${href(route, defaultLanguage)}` },
  ];
}
