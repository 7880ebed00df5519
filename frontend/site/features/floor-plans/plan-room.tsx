import { useEffect, useRef, useState } from "react";
import type { FloorPlan } from "#shared/content/floor-plans.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { IconButton } from "#shared/ui/icons.tsx";
import { roomPictures } from "#site/art/room-pictures.ts";
import { roomPoints } from "#site/art/room-points.ts";
import { useRoomName } from "#site/art/use-room-name.ts";
import { AskLink, SharePlan } from "./plan-actions.tsx";
import "./plan-room.css";

/** Pixels that a finger moves before the next room appears. */
const SWIPE = 40;

interface PlanRoomProps {
  plan: FloorPlan;
  /** Index of the eye. */
  at: number;
  /** Shows the next or the previous room, or the plan alone. */
  onWalk: (steps: -1 | 1 | null) => void;
}

/** The room that the visitor stands in. */
export function PlanRoom({ plan, at, onWalk }: PlanRoomProps) {
  const { t } = useTranslation();
  const roomName = useRoomName();
  const heading = useRef<HTMLHeadingElement>(null);
  const pressed = useRef<number | null>(null);
  const points = roomPoints[plan.id] ?? [];
  const view = points[at]?.[0] ?? "living";
  const picture = roomPictures[`${plan.id}-${view}`];
  const room = roomName(plan, view);
  useFocus(heading, view);

  function release(x: number): void {
    const moved = pressed.current === null ? 0 : x - pressed.current;
    pressed.current = null;
    if (Math.abs(moved) > SWIPE && points.length > 1) {
      onWalk(moved < 0 ? 1 : -1);
    }
  }

  return (
    <section className="plan-room on-ink" aria-labelledby="plan-room-heading">
      <div
        className="plan-room-picture"
        onPointerDown={({ clientX }) => {
          pressed.current = clientX;
        }}
        onPointerUp={({ clientX }) => release(clientX)}
        onPointerCancel={() => {
          pressed.current = null;
        }}
      >
        {picture && (
          <RoomPicture
            key={picture.avif}
            of={picture}
            alt={t("plans.room.picture", { room, name: t(`unit.${plan.id}.heading`) })}
          />
        )}
      </div>
      <div className="plan-room-foot">
        <div className="spread">
          <h3 id="plan-room-heading" ref={heading} className="h4" tabIndex={-1} aria-live="polite">
            {room}
          </h3>
          <div className="viewer-controls">
            {points.length > 1 && (
              <>
                <IconButton
                  label={t("viewer.previous")}
                  path="M15 4l-8 8 8 8"
                  onClick={() => onWalk(-1)}
                />
                <IconButton
                  label={t("viewer.next")}
                  path="M9 4l8 8-8 8"
                  onClick={() => onWalk(1)}
                />
              </>
            )}
            <IconButton
              label={t("plans.room.back")}
              path="M5 9l7 7 7-7"
              onClick={() => onWalk(null)}
            />
          </div>
        </div>
        <p className="plan-room-caption small">{t("plans.room.caption")}</p>
        <div className="plan-room-actions">
          <SharePlan id={plan.id} view={view} />
          <AskLink id={plan.id} />
        </div>
      </div>
    </section>
  );
}

/** The picture, with its preview until its bytes have arrived. */
function RoomPicture({
  of,
  alt,
}: {
  of: { preview: string; avif: string; jpeg: string };
  alt: string;
}) {
  const [isLoaded, setLoaded] = useState(false);
  return (
    <>
      {!isLoaded && <img className="plan-room-preview" src={of.preview} alt="" />}
      <picture>
        <source type="image/avif" srcSet={of.avif} />
        <img
          src={of.jpeg}
          width="1280"
          height="800"
          alt={alt}
          draggable="false"
          onLoad={() => setLoaded(true)}
        />
      </picture>
    </>
  );
}

/** Focuses the heading of each room, and the eye of the last room when the plan is alone again. */
function useFocus(heading: React.RefObject<HTMLHeadingElement | null>, view: string): void {
  const last = useRef(view);

  useEffect(() => {
    last.current = view;
    heading.current?.focus({ preventScroll: true });
  }, [heading, view]);

  useEffect(
    () => () => {
      document.querySelector<HTMLElement>(`[data-view="${last.current}"]`)?.focus();
    },
    [],
  );
}
