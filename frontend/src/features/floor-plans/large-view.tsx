import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import type { FloorPlanId } from "#content/floor-plans.ts";
import { PlanDialog } from "./plan-dialog.tsx";
import { morph } from "./plan-transition.ts";

export interface LargeViewProps {
  /** The plan to show, or none. */
  wanted: FloorPlanId | null;
  /** Whether there are files to download. */
  downloads: boolean;
  /** To the next plan or the previous; after the last comes the first. */
  onTurn: (direction: 1 | -1) => void;
  onClose: () => void;
}

interface Shown {
  id: FloorPlanId;
  /** The plan from whose card it was opened. */
  from: FloorPlanId;
}

/** Shows the plan that is wanted: it grows out of its card, and returns to it. */
export function LargeView({ wanted, downloads, onTurn, onClose }: LargeViewProps) {
  const [shown, setShown] = useState<Shown | null>(null);

  useEffect(() => {
    if (wanted === (shown?.id ?? null)) {
      return;
    }
    if (shown === null) {
      const card = drawingOf(wanted);
      const open = async () => {
        flushSync(() => setShown(wanted && { id: wanted, from: wanted }));
        const drawing = drawingInDialog();
        // Nobody waits for what is not at hand.
        if (drawing?.complete) {
          await drawing.decode().catch(() => {});
        }
      };
      void morph(card, open, drawingInDialog);
    } else if (wanted === null) {
      const close = () => {
        flushSync(() => setShown(null));
        returnFocus(shown);
      };
      void morph(drawingInDialog(), close, () => drawingOf(shown.id));
    } else {
      setShown({ ...shown, id: wanted });
    }
  }, [wanted, shown]);

  return (
    shown && <PlanDialog id={shown.id} downloads={downloads} onTurn={onTurn} onClose={onClose} />
  );
}

function drawingOf(id: FloorPlanId | null): HTMLImageElement | null {
  return document.getElementById(id ?? "")?.querySelector("img") ?? null;
}

function drawingInDialog(): HTMLImageElement | null {
  return document.querySelector("dialog img");
}

/** To the card of the plan that was shown last, which may be far from where the visitor opened the first. */
function returnFocus({ id, from }: Shown): void {
  const link = drawingOf(id)?.closest("a");
  link?.focus({ preventScroll: true });
  if (id !== from) {
    link?.scrollIntoView({ block: "center", behavior: "instant" });
  }
}
