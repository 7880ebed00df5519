import { useLocation } from "react-router-dom";
import { type FloorPlanId, findPlan, planPicture } from "#shared/content/floor-plans.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { roomPictures } from "#site/art/room-pictures.ts";
import { roomPoints } from "#site/art/room-points.ts";
import { useRoomName } from "#site/art/use-room-name.ts";
import { breakable } from "#site/i18n/breakable.ts";
import { socialPicture } from "./structured-data.ts";

interface SharedPicture {
  path: string;
  /** Pixels. */
  width: number;
  height: number;
  alt: string;
  /** The parameter of the address for the picture of a room. */
  view?: { view: string };
}

/** The picture of a shared link: of the room in `?plan=C1&view=living`, of the plan, or of the site. */
export function useSharedPicture(plan: FloorPlanId | null): SharedPicture {
  const { t } = useTranslation();
  const language = useLanguage();
  const asked = new URLSearchParams(useLocation().search).get("view");
  const roomName = useRoomName();
  // The size of the pictures from art/social.mjs.
  const size = { width: 1200, height: 630 };
  if (plan === null) {
    return { path: socialPicture(language, ""), ...size, alt: t("head.picture") };
  }
  const name = breakable(t(`unit.${plan}.heading`));
  const view = roomPoints[plan]?.map(([view]) => view).find((view) => view === asked);
  const picture = view && roomPictures[`${plan}-${view}`];
  if (!picture) {
    return { path: planPicture(plan, language), ...size, alt: t("plans.picture", { name }) };
  }
  const alt = t("plans.room.picture", { room: roomName(findPlan(plan), view), name });
  return { path: picture.jpeg, width: 960, height: 600, alt, view: { view } };
}
