import { type ComponentType, useEffect, useRef, useState } from "react";
import { plans } from "#art/plans.ts";
import { type FloorPlanId, floorPlans } from "#content/floor-plans.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { FloorPlanCard } from "./floor-plan-card.tsx";
import "./floor-plan-grid.css";
import type { LargeViewProps } from "./large-view.tsx";
import { useLargePlan } from "./use-large-plan.ts";

interface FloorPlanGridProps {
  /** Whether there are files to download. */
  downloads: boolean;
  /** Fetches the large view: nobody pays for it who does not seem to want it. */
  loadLargeView?: LoadLargeView;
}

type LoadLargeView = () => Promise<ComponentType<LargeViewProps>>;

const importLargeView: LoadLargeView = () =>
  import("./large-view.tsx").then(({ LargeView }) => LargeView);

/** The twelve units, one of which may be shown large. */
export function FloorPlanGrid({ downloads, loadLargeView = importLargeView }: FloorPlanGridProps) {
  const language = useLanguage();
  const { wanted, open, turn, close } = useLargePlan();
  const [LargeView, setLargeView] = useState<ComponentType<LargeViewProps> | null>(null);
  const [failed, setFailed] = useState<FloorPlanId | null>(null);
  const lastRequest = useRef<symbol>(null);

  // A reload, or Forward from another page, may want a plan before anyone has clicked.
  useEffect(() => {
    if (wanted !== null && LargeView === null) {
      loadLargeView().then(
        (loaded) => setLargeView(() => loaded),
        () => setFailed(wanted),
      );
    }
  }, [wanted, LargeView, loadLargeView]);

  useEffect(
    () => () => {
      lastRequest.current = null;
    },
    [],
  );

  function prepare(id: FloorPlanId): void {
    new Image().src = plans[id].large[language];
    loadLargeView().catch(() => {});
  }

  /** Opens the plan that was asked for last, once the large view is there. */
  function enlarge(id: FloorPlanId): void {
    const request = Symbol(id);
    lastRequest.current = request;
    setFailed(null);
    loadLargeView().then(
      (loaded) => {
        if (lastRequest.current === request) {
          setLargeView(() => loaded);
          open(id);
        }
      },
      () => {
        if (lastRequest.current === request) {
          setFailed(id);
        }
      },
    );
  }

  return (
    <div className="plan-grid page-width">
      {floorPlans.map((plan, index) => (
        <FloorPlanCard
          key={plan.id}
          plan={plan}
          downloads={downloads}
          failed={plan.id === failed}
          first={index < 2}
          onIntent={() => prepare(plan.id)}
          onEnlarge={() => enlarge(plan.id)}
        />
      ))}
      {LargeView && <LargeView wanted={wanted} onTurn={turn} onClose={close} />}
    </div>
  );
}
