import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useLayoutEffect,
  useRef,
} from "react";
import { useZoom } from "./use-zoom.ts";
import "./viewer.css";
import { MAX_SCALE, MIN_SCALE } from "./zoom.ts";

/** Pixels that an arrow key moves an enlarged picture. */
const PAN_STEP = 80;

interface ViewerProps {
  picture: { src: string; width: number; height: number; alt: string };
  /** Id of the heading in `head`, which names the view. */
  headingId: string;
  head: ReactNode;
  foot?: ReactNode;
  names: Record<"close" | "zoomIn" | "zoomOut", string>;
  /** To the next picture or the previous, where there are several. */
  onTurn?: (direction: 1 | -1) => void;
  onClose: () => void;
}

/** One picture over the whole window, which can be enlarged and moved: data above, controls below. */
export function Viewer({ picture, headingId, head, foot, names, onTurn, onClose }: ViewerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // A drag that only ends on the backdrop is no click on it.
  const pressedBackdrop = useRef(false);
  const { scale, stage, drawing, zoom, pan, reset } = useZoom(turn);

  useLayoutEffect(() => {
    if (dialog.current?.open === false) {
      dialog.current.showModal();
    }
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another picture begins whole.
  useLayoutEffect(() => reset(false), [picture.src]);

  function turn(direction: 1 | -1): void {
    onTurn?.(direction);
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
      className="viewer"
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
      <div className="viewer-head">
        {head}
        <IconButton name={names.close} icon="M5 5l14 14M19 5L5 19" onPress={onClose} />
      </div>
      <div className="viewer-stage" {...stage}>
        <img
          key={picture.src}
          ref={drawing}
          className="viewer-picture"
          draggable={false}
          {...picture}
          alt={picture.alt}
        />
      </div>
      <div className="viewer-foot">
        {foot}
        <div className="viewer-controls">
          <IconButton
            name={names.zoomOut}
            icon="M4 12h16"
            spent={scale <= MIN_SCALE}
            onPress={() => zoom(-1)}
          />
          <output>{Math.round(scale * 100)}%</output>
          <IconButton
            name={names.zoomIn}
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

export function IconButton({ name, icon, spent = false, onPress }: IconButtonProps) {
  return (
    <button
      className="viewer-button"
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
