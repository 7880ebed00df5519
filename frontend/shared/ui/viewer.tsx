import { useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { IconButton } from "./icons.tsx";
import "./viewer.css";

const MAX_ZOOM = 3;

/** Pixels that an arrow key moves an enlarged picture. */
const PAN_STEP = 80;

const arrows: Record<string, [right: -1 | 0 | 1, down: -1 | 0 | 1]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface ViewerProps {
  className?: string;
  name: string;
  picture: {
    src: string;
    /** A smaller encoding, which not every browser supports. */
    avif?: string | undefined;
    width: number;
    height: number;
    alt: string;
  };
  /** Minimum width of the picture in pixels, unless that would crop it on all four sides. */
  minWidth?: number;
  head: React.ReactNode;
  foot: React.ReactNode;
  /** Links at points of the picture. They move with it. */
  marks?: React.ReactNode;
  /** Beside the picture, or below it on a phone. */
  aside?: React.ReactNode;
  /** The position of this picture among several. */
  position: { number: number; count: number };
  /** Shows the next (1) or the previous (-1) picture. */
  onStep: (direction: -1 | 1) => void;
  /** Called for an arrow key. Without it, the key calls `onStep`. */
  onArrow?: ((direction: -1 | 1) => void) | undefined;
  /** Called for Escape. Without it, the key closes the dialog. */
  onEscape?: (() => void) | undefined;
  /** Called after the dialog has closed and the browser has returned the focus. */
  onClose: () => void;
}

/** One picture in a dialog that fills the window. Buttons, keys and a double click zoom it, scrolling moves it. */
export function Viewer({
  className = "",
  name,
  picture,
  minWidth = 0,
  head,
  foot,
  marks,
  aside,
  position,
  onStep,
  onArrow,
  onEscape,
  onClose,
}: ViewerProps) {
  const { t } = useTranslation();
  const dialog = useRef<HTMLDialogElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  const { avif, ...image } = picture;
  const { width, height } = image;

  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Otherwise the first link would have the focus, and its frame.
    element?.querySelector("h2")?.focus();
    return () => element?.close();
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each picture starts centred.
  useLayoutEffect(() => {
    const frame = stage.current;
    frame?.scrollTo({
      left: (frame.scrollWidth - frame.clientWidth) / 2,
      top: (frame.scrollHeight - frame.clientHeight) / 2,
    });
  }, [picture.src]);

  /** Changes the scale around the pointer, or around the middle. */
  function zoomTo(scale: number, pointer?: { clientX: number; clientY: number }): void {
    const next = Math.max(1, Math.min(MAX_ZOOM, scale));
    const frame = stage.current;
    const image = frame?.querySelector("img");
    if (!frame || !image) {
      return;
    }
    const box = frame.getBoundingClientRect();
    const x = pointer?.clientX ?? box.left + box.width / 2;
    const y = pointer?.clientY ?? box.top + box.height / 2;
    const before = image.getBoundingClientRect();
    flushSync(() => setZoom(next));
    const after = image.getBoundingClientRect();
    frame.scrollBy({
      left: after.left - x + ((x - before.left) * next) / zoom,
      top: after.top - y + ((y - before.top) * next) / zoom,
    });
  }

  function step(direction: -1 | 1): void {
    setZoom(1);
    onStep(direction);
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    const { key } = event;
    const [right = 0, down = 0] = arrows[key] ?? [];
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const scale = { "+": zoom + 1, "=": zoom + 1, "-": zoom - 1, "0": 1 }[key];
    if (scale !== undefined) {
      zoomTo(scale);
    } else if (key in arrows && zoom > 1) {
      stage.current?.scrollBy({ left: right * PAN_STEP, top: down * PAN_STEP });
    } else if (right !== 0) {
      (onArrow ?? step)(right);
    } else {
      return;
    }
    event.preventDefault();
  }

  return (
    <dialog
      ref={dialog}
      className={`viewer ${className}`}
      aria-label={name}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        if (onEscape) {
          event.preventDefault();
          onEscape();
        }
      }}
      // In development, React closes and opens each new dialog once.
      onClose={(event) => !event.currentTarget.open && onClose()}
    >
      <div className="viewer-head">
        {head}
        <div className="viewer-controls">
          <IconButton label={t("viewer.previous")} path="M15 4l-8 8 8 8" onClick={() => step(-1)} />
          <p className="viewer-position small quiet">{t("viewer.position", position)}</p>
          <IconButton label={t("viewer.next")} path="M9 4l8 8-8 8" onClick={() => step(1)} />
        </div>
        <IconButton
          label={t("viewer.close")}
          path="M5 5l14 14M19 5L5 19"
          onClick={() => dialog.current?.close()}
        />
      </div>
      {/* Focusable in every state, or a click on the picture would take the focus, and the keys, from the dialog. */}
      <div ref={stage} className="viewer-stage" tabIndex={zoom > 1 || minWidth > 0 ? 0 : -1}>
        <div className="viewer-sheet">
          <picture key={picture.src}>
            {avif !== undefined && <source type="image/avif" srcSet={avif} />}
            <img
              {...image}
              alt={image.alt}
              style={
                {
                  "--zoom": zoom,
                  "--ratio": width / height,
                  "--min-width": `${minWidth}px`,
                } as React.CSSProperties
              }
              onDoubleClick={(event) => zoomTo(zoom > 1 ? 1 : 2, event)}
            />
          </picture>
          {marks}
        </div>
      </div>
      {aside}
      <div className="viewer-foot small quiet">
        {foot}
        <div className="viewer-controls viewer-zoom">
          <IconButton
            label={t("viewer.zoomOut")}
            path="M4 12h16"
            disabled={zoom === 1}
            onClick={() => zoomTo(zoom - 1)}
          />
          <output>{`${zoom * 100}%`}</output>
          <IconButton
            label={t("viewer.zoomIn")}
            path="M4 12h16M12 4v16"
            disabled={zoom === MAX_ZOOM}
            onClick={() => zoomTo(zoom + 1)}
          />
        </div>
      </div>
    </dialog>
  );
}
