import { Link } from "react-router-dom";
import type { FloorPlan } from "#shared/content/floor-plans.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { roomPoints } from "#site/art/room-points.ts";
import { useRoomName } from "#site/art/use-room-name.ts";
import { type EntryState, useEntryState } from "#site/history-entry.ts";
import "./plan-eyes.css";
import { usePlansAddress } from "./plans-address.ts";

/** The eyes of a plan: links to its rooms at the places of their cameras, each with its field of view. */
export function PlanEyes({ plan }: { plan: FloorPlan }) {
  const { t } = useTranslation();
  const state = useEntryState();
  const { addressWith, view } = usePlansAddress();
  const roomName = useRoomName();
  return roomPoints[plan.id]?.map(([name, left, top, towards, angle]) => (
    <Link
      key={plan.id + name}
      className="plan-eye"
      style={{ left: `${left}%`, top: `${top}%` }}
      to={addressWith({ view: name })}
      // The first room has a history entry above that of the plan, and the next rooms share it.
      replace={state.stoodIn !== undefined}
      state={{ ...state, inPlace: true, stoodIn: state.stoodIn ?? plan.id } satisfies EntryState}
      data-view={name}
      aria-label={t("plans.room.standIn", { room: roomName(plan, name) })}
      aria-current={name === view ? "true" : undefined}
    >
      <svg viewBox="-48 -48 96 96" aria-hidden="true">
        <path className="plan-eye-cone" d={cone(angle)} transform={`rotate(${towards})`} />
        <circle r="14" />
        <path className="plan-eye-lid" d="M-8 0C-4-6 4-6 8 0 4 6-4 6-8 0Z" />
        <circle r="2" />
      </svg>
      <span aria-hidden="true">{t("plans.room.stand")}</span>
    </Link>
  ));
}

/** The field of view around the upward direction. The angle is in degrees. */
function cone(angle: number): string {
  const half = (angle * Math.PI) / 360;
  const x = (46 * Math.sin(half)).toFixed(1);
  const y = (-46 * Math.cos(half)).toFixed(1);
  return `M0 0L-${x} ${y}A46 46 0 0 1 ${x} ${y}Z`;
}
