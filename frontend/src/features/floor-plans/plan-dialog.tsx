import { type KeyboardEvent, type MouseEvent, useId, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { plans } from "#art/plans.ts";
import { type FloorPlanId, floorPlans } from "#content/floor-plans.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { Area } from "./area.tsx";
import "./plan-dialog.css";
import { Rooms } from "./rooms.tsx";
import { useZoom } from "./use-zoom.ts";
import { MAX_SCALE, MIN_SCALE } from "./zoom.ts";

/** Pixels that an arrow key moves an enlarged drawing. */
const PAN_STEP = 80;

export interface PlanDialogProps {
  id: FloorPlanId;
  /** To the next plan or the previous; after the last comes the first. */
  onTurn: (direction: 1 | -1) => void;
  onClose: () => void;
}

/** One plan over the whole window: its drawing alone, data above, page and zoom below. */
export function PlanDialog({ id, onTurn, onClose }: PlanDialogProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const headingId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // A drag that only ends on the backdrop is no click on it.
  const pressedBackdrop = useRef(false);
  const { scale, stage, drawing, zoom, pan, reset } = useZoom(turn);
  const number = floorPlans.findIndex((each) => each.id === id) + 1;
  const plan = floorPlans[number - 1] as (typeof floorPlans)[number];
  const name = t(`plans.unit.${id}.heading`);
  const { large } = plans[id];

  useLayoutEffect(() => {
    if (dialog.current?.open === false) {
      dialog.current.showModal();
    }
  }, []);

  function turn(direction: 1 | -1): void {
    reset(false);
    onTurn(direction);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const command = commandOf(event.key, scale > MIN_SCALE);
    if (command === null || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    event.preventDefault();
    command({ zoom, pan, reset, turn });
  }

  function isBackdrop(event: MouseEvent): boolean {
    return event.target === dialog.current;
  }

  return (
    <dialog
      ref={dialog}
      className="plan-dialog"
      aria-labelledby={headingId}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={onClose}
      onPointerDown={(event) => {
        pressedBackdrop.current = isBackdrop(event);
      }}
      onClick={(event) => {
        if (pressedBackdrop.current && isBackdrop(event)) {
          onClose();
        }
      }}
    >
      <div className="plan-dialog-head">
        <div className="plan-dialog-data" aria-live="polite" aria-atomic="true">
          <div className="plan-dialog-title">
            <p className="plan-type label">{t(`plans.type.${plan.type}`)}</p>
            <h2 id={headingId} className="plan-name">
              {name}
            </h2>
          </div>
          <p className="plan-area">
            <Area of={plan} />
          </p>
          <p className="plan-dialog-rooms">
            <Rooms of={plan} />
          </p>
        </div>
        <IconButton name={t("plans.viewer.close")} icon="M5 5l14 14M19 5L5 19" onPress={onClose} />
      </div>
      <div className="plan-dialog-stage" {...stage}>
        <img
          key={id}
          ref={drawing}
          className="plan-dialog-drawing"
          src={large[language]}
          width={large.width}
          height={large.height}
          alt={t("plans.picture", { name })}
          draggable={false}
        />
      </div>
      <div className="plan-dialog-foot">
        <div className="plan-dialog-controls">
          <IconButton
            name={t("plans.viewer.previous")}
            icon="M15 4l-8 8 8 8"
            onPress={() => turn(-1)}
          />
          <p>{t("plans.viewer.position", { number, count: floorPlans.length })}</p>
          <IconButton name={t("plans.viewer.next")} icon="M9 4l8 8-8 8" onPress={() => turn(1)} />
        </div>
        <p className="plan-dialog-note">{t("plans.viewer.illustrative")}</p>
        <div className="plan-dialog-controls">
          <IconButton
            name={t("plans.viewer.zoomOut")}
            icon="M4 12h16"
            spent={scale <= MIN_SCALE}
            onPress={() => zoom(-1)}
          />
          <output>{Math.round(scale * 100)}%</output>
          <IconButton
            name={t("plans.viewer.zoomIn")}
            icon="M4 12h16M12 4v16"
            spent={scale >= MAX_SCALE}
            onPress={() => zoom(1)}
          />
        </div>
      </div>
    </dialog>
  );
}

interface IconButtonProps {
  name: string;
  /** The path of its drawing, 24 by 24. */
  icon: string;
  /** Whether pressing it would change nothing; it keeps the focus all the same. */
  spent?: boolean;
  onPress: () => void;
}

function IconButton({ name, icon, spent = false, onPress }: IconButtonProps) {
  return (
    <button
      className="plan-dialog-button"
      type="button"
      aria-label={name}
      aria-disabled={spent}
      onClick={onPress}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={icon} fill="none" stroke="currentColor" strokeWidth="1.25" />
      </svg>
    </button>
  );
}

interface Commands extends Pick<ReturnType<typeof useZoom>, "zoom" | "pan" | "reset"> {
  turn: (direction: 1 | -1) => void;
}

/** Arrows turn to another plan, but move one that is enlarged. */
function commandOf(key: string, enlarged: boolean): ((commands: Commands) => void) | null {
  switch (key) {
    case "+":
    case "=":
      return ({ zoom }) => zoom(1);
    case "-":
      return ({ zoom }) => zoom(-1);
    case "0":
      return ({ reset }) => reset(true);
    case "ArrowLeft":
      return enlarged ? ({ pan }) => pan({ x: PAN_STEP, y: 0 }) : ({ turn }) => turn(-1);
    case "ArrowRight":
      return enlarged ? ({ pan }) => pan({ x: -PAN_STEP, y: 0 }) : ({ turn }) => turn(1);
    case "ArrowUp":
      return enlarged ? ({ pan }) => pan({ x: 0, y: PAN_STEP }) : null;
    case "ArrowDown":
      return enlarged ? ({ pan }) => pan({ x: 0, y: -PAN_STEP }) : null;
    default:
      return null;
  }
}
