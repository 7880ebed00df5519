import type { FloorPlan } from "#shared/content/floor-plans.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { roomPictures } from "#site/art/room-pictures.ts";
import { roomPoints } from "#site/art/room-points.ts";
import { useRoomName } from "#site/art/use-room-name.ts";

/** The rooms of a plan as pictures, for visitors without JavaScript. */
export function RoomList({ plan }: { plan: FloorPlan }) {
  const { t } = useTranslation();
  const roomName = useRoomName();
  const points = roomPoints[plan.id];
  if (points === undefined) {
    return null;
  }
  const name = t(`unit.${plan.id}.heading`);
  return (
    <>
      <ul className="room-list pair" aria-label={t("plans.room.rooms", { name })}>
        {points.map(([view]) => {
          const picture = roomPictures[`${plan.id}-${view}`];
          const room = roomName(plan, view);
          return (
            <li key={view}>
              <a href={picture?.jpeg}>
                <img
                  src={picture?.thumbnail}
                  width="480"
                  height="300"
                  alt={t("plans.room.picture", { room, name })}
                  loading="lazy"
                />
                {room}
              </a>
            </li>
          );
        })}
      </ul>
      <p className="small quiet">{t("plans.room.caption")}</p>
    </>
  );
}
