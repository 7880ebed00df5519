import {
  type PointerEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import {
  clamp,
  contain,
  type Frame,
  follow,
  nextScale,
  type Point,
  type View,
  WHOLE,
  zoomAt,
} from "./zoom.ts";

const CENTRE: Point = { x: 0, y: 0 };
/** The scale that a double tap asks for. */
const TAP_SCALE = 2.5;
const TAP_INTERVAL_MS = 300;
/** Pixels within which a touch is a tap, and beyond which it is a swipe. */
const TAP_SLACK = 10;
const SWIPE = 50;

interface Press {
  at: Point;
  time: number;
}

/** A drawing in its stage: enlarged and moved by fingers, mouse and commands. `onSwipe`: to the next plan or the previous. */
export function useZoom(onSwipe: (direction: 1 | -1) => void) {
  const stage = useRef<HTMLDivElement>(null);
  const drawing = useRef<HTMLImageElement>(null);
  const [{ view, eased }, setMove] = useState({ view: WHOLE, eased: false });
  const fingers = useRef(new Map<number, Point>());
  const press = useRef<Press>(null);
  const lastTap = useRef<Press>(null);

  /** Commands ease into the new view; what follows a hand follows at once. */
  const change = useCallback((how: (view: View, frame: Frame) => View, ease: boolean) => {
    if (stage.current !== null && drawing.current !== null) {
      const frame = frameOf(stage.current, drawing.current);
      setMove((move) => ({ view: how(move.view, frame), eased: ease }));
    }
  }, []);

  // By the object model: the content security policy refuses style attributes.
  useLayoutEffect(() => {
    const style = drawing.current?.style;
    style?.setProperty("transition-duration", eased ? "" : "0s");
    style?.setProperty(
      "transform",
      view === WHOLE ? "" : `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
    );
  }, [view, eased]);

  useEffect(() => {
    const element = stage.current;
    // React listens for the wheel passively, which leaves it to the browser.
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      change((current, frame) => wheeled(current, event, element as HTMLElement, frame), false);
    };
    const resize = () => change(clamp, false);
    element?.addEventListener("wheel", turn, { passive: false });
    window.addEventListener("resize", resize);
    return () => {
      element?.removeEventListener("wheel", turn);
      window.removeEventListener("resize", resize);
    };
  }, [change]);

  function onPointerDown(event: PointerEvent<HTMLElement>): void {
    if (event.button !== 0) {
      return;
    }
    event.currentTarget.setPointerCapture(event.pointerId);
    const at = pointOf(event, event.currentTarget);
    fingers.current.set(event.pointerId, at);
    press.current = fingers.current.size === 1 ? { at, time: event.timeStamp } : null;
  }

  function onPointerMove(event: PointerEvent<HTMLElement>): void {
    if (!fingers.current.has(event.pointerId)) {
      return;
    }
    const from = [...fingers.current.values()];
    fingers.current.set(event.pointerId, pointOf(event, event.currentTarget));
    const to = [...fingers.current.values()];
    change((current, frame) => follow(current, from, to, frame), false);
  }

  function onPointerUp(event: PointerEvent<HTMLElement>): void {
    if (!fingers.current.delete(event.pointerId) || press.current === null) {
      return;
    }
    const { at, time } = press.current;
    const end = pointOf(event, event.currentTarget);
    press.current = null;
    if (near(at, end)) {
      tap({ at: end, time: event.timeStamp });
    } else if (event.pointerType === "touch" && view.scale === WHOLE.scale) {
      const [right, down] = [end.x - at.x, end.y - at.y];
      if (Math.abs(right) > Math.max(SWIPE, 2 * Math.abs(down)) && event.timeStamp - time < 1000) {
        onSwipe(right < 0 ? 1 : -1);
      }
    }
  }

  function tap(now: Press): void {
    const before = lastTap.current;
    const twice =
      before !== null && now.time - before.time < TAP_INTERVAL_MS && near(before.at, now.at);
    lastTap.current = twice ? null : now;
    if (!twice && view.scale > WHOLE.scale) {
      // For whoever cannot drag: what is tapped comes to the middle.
      change((current, frame) => follow(current, [now.at], [CENTRE], frame), true);
    }
    if (twice) {
      change(
        (current, frame) =>
          current.scale > WHOLE.scale ? WHOLE : zoomAt(current, TAP_SCALE, now.at, frame),
        true,
      );
    }
  }

  function onPointerCancel(event: PointerEvent<HTMLElement>): void {
    fingers.current.delete(event.pointerId);
    press.current = null;
  }

  return {
    scale: view.scale,
    stage: { ref: stage, onPointerDown, onPointerMove, onPointerUp, onPointerCancel },
    drawing,
    zoom: (direction: 1 | -1) =>
      change(
        (current, frame) => zoomAt(current, nextScale(current.scale, direction), CENTRE, frame),
        true,
      ),
    pan: (by: Point) => change((current, frame) => follow(current, [CENTRE], [by], frame), true),
    reset: (ease: boolean) => setMove({ view: WHOLE, eased: ease }),
  };
}

function frameOf(stage: HTMLElement, drawing: HTMLImageElement): Frame {
  return {
    stage: { width: stage.clientWidth, height: stage.clientHeight },
    drawing: contain(
      { width: drawing.naturalWidth, height: drawing.naturalHeight },
      { width: drawing.offsetWidth, height: drawing.offsetHeight },
    ),
  };
}

function pointOf({ clientX, clientY }: { clientX: number; clientY: number }, stage: HTMLElement) {
  const { left, top, width, height } = stage.getBoundingClientRect();
  return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
}

/** With the control key, as a pinch on a trackpad has it too, the wheel zooms; else it moves what is enlarged. */
function wheeled(view: View, event: WheelEvent, stage: HTMLElement, frame: Frame): View {
  if (!event.ctrlKey) {
    return follow(view, [CENTRE], [{ x: -event.deltaX, y: -event.deltaY }], frame);
  }
  const turn = Math.max(-25, Math.min(25, event.deltaY));
  return zoomAt(view, view.scale * Math.exp(-turn / 100), pointOf(event, stage), frame);
}

function near(one: Point, other: Point): boolean {
  return Math.hypot(one.x - other.x, one.y - other.y) < TAP_SLACK;
}
