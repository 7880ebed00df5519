import { type FloorPlanId, planPicture } from "#content/floor-plans.ts";
import { project } from "#content/project.ts";
import { type Language, languages } from "#i18n/language.ts";
import { href, type RouteId } from "#routes.ts";

/** Open Graph requires a country, and its list has no Chinese for Singapore. */
const locales: Record<Language, string> = { en: "en_SG", zh: "zh_CN" };

/** Pixels of the pictures that art/social.mjs makes. */
export const socialPictureSize = { width: 1200, height: 630 };

/** The picture that is shown beside a shared link. */
export function socialPicture(language: Language, origin: string): string {
  return `${origin}/social-${language}.jpg`;
}

interface SharedLink {
  route: RouteId;
  language: Language;
  /** The plan that the address opens. */
  plan: FloorPlanId | null;
  title: string;
  description: string;
  /** What the picture shows. */
  pictureText: string;
  origin: string;
}

/** What a shared link looks like: properties of Open Graph and their values, in order. */
export function openGraphOf(link: SharedLink): [property: string, content: string][] {
  const { route, language, plan, origin } = link;
  return [
    ["og:type", "website"],
    ["og:site_name", project.name],
    ["og:title", link.title],
    ["og:description", link.description],
    ["og:url", `${origin}${href(route, language, plan === null ? {} : { plan })}`],
    ["og:locale", locales[language]],
    ...languages
      .filter((other) => other !== language)
      .map((other): [string, string] => ["og:locale:alternate", locales[other]]),
    [
      "og:image",
      plan === null ? socialPicture(language, origin) : `${origin}${planPicture(plan, language)}`,
    ],
    ["og:image:width", String(socialPictureSize.width)],
    ["og:image:height", String(socialPictureSize.height)],
    ["og:image:alt", link.pictureText],
  ];
}
