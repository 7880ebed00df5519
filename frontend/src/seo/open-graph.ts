import { type FloorPlanId, planPicture } from "#content/floor-plans.ts";
import { project } from "#content/project.ts";
import { breakable } from "#i18n/breakable.ts";
import { type Language, languages } from "#i18n/language.ts";
import type { Messages } from "#i18n/messages.ts";
import { href, type RouteId } from "#routes.ts";

/** Open Graph requires a country, and its list has no Chinese for Singapore. */
const locales: Record<Language, string> = { en: "en_SG", zh: "zh_CN" };

/** Pixels of the pictures that art/social.mjs makes. */
export const socialPictureSize = { width: 1200, height: 630 };

/** The picture that is shown beside a shared link. */
export function socialPicture(language: Language, origin: string): string {
  return `${origin}/social-${language}.jpg`;
}

/** Title and description of the address that opens a plan. */
export function planHead(plan: FloorPlanId, { head, plans }: Messages) {
  const { heading, text } = plans.unit[plan];
  return {
    title: head.planTitle.replace("{{name}}", breakable(heading)),
    description: breakable(text),
  };
}

/**
 * What a shared link looks like: properties of Open Graph and their values, in order.
 * @param plan the plan that the address opens, if any
 */
export function openGraphOf(
  route: RouteId,
  language: Language,
  messages: Messages,
  origin: string,
  plan?: FloorPlanId,
): [property: string, content: string][] {
  const link =
    plan === undefined
      ? {
          ...messages.head[route],
          path: href(route, language),
          picture: socialPicture(language, origin),
          alt: messages.head.picture,
        }
      : {
          ...planHead(plan, messages),
          path: href(route, language, { plan }),
          picture: `${origin}${planPicture(plan, language)}`,
          alt: messages.plans.picture.replace(
            "{{name}}",
            breakable(messages.plans.unit[plan].heading),
          ),
        };
  return [
    ["og:type", "website"],
    ["og:site_name", project.name],
    ["og:title", link.title],
    ["og:description", link.description],
    ["og:url", `${origin}${link.path}`],
    ["og:locale", locales[language]],
    ...languages
      .filter((other) => other !== language)
      .map((other): [string, string] => ["og:locale:alternate", locales[other]]),
    ["og:image", link.picture],
    ["og:image:width", String(socialPictureSize.width)],
    ["og:image:height", String(socialPictureSize.height)],
    ["og:image:alt", link.alt],
  ];
}
