import { project } from "#content/project.ts";
import { type Language, languages } from "#i18n/language.ts";
import type { Messages } from "#i18n/messages.ts";
import { href, type RouteId } from "#routes.ts";

/** Open Graph has languages with a country only. */
const locales: Record<Language, string> = { en: "en_GB", zh: "zh_CN" };

/** Pixels of the pictures that art/social.mjs makes. */
export const socialPictureSize = { width: 1200, height: 630 };

/** The picture that is shown beside a shared link. */
export function socialPicture(language: Language, origin: string): string {
  return `${origin}/social-${language}.jpg`;
}

/** What a shared link looks like: properties of Open Graph and their values, in order. */
export function openGraphOf(
  route: RouteId,
  language: Language,
  messages: Messages,
  origin: string,
): [property: string, content: string][] {
  const { title, description } = messages.head[route];
  return [
    ["og:type", "website"],
    ["og:site_name", project.name],
    ["og:title", title],
    ["og:description", description],
    ["og:url", `${origin}${href(route, language)}`],
    ["og:locale", locales[language]],
    ...languages
      .filter((other) => other !== language)
      .map((other): [string, string] => ["og:locale:alternate", locales[other]]),
    ["og:image", socialPicture(language, origin)],
    ["og:image:width", String(socialPictureSize.width)],
    ["og:image:height", String(socialPictureSize.height)],
    ["og:image:alt", messages.head.picture],
  ];
}
