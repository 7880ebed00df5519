import { type ComponentType, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router-dom";
import { plans } from "#art/plans.ts";
import { bedroomCounts, type FloorPlanId, floorPlans, planTypes } from "#content/floor-plans.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { ComparePlans } from "./compare-plans.tsx";
import { FloorPlanCard } from "./floor-plan-card.tsx";
import "./floor-plan-grid.css";
import type { LargeViewProps } from "./large-view.tsx";
import { PlansAtAGlance } from "./plans-at-a-glance.tsx";
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

/** The units as a table and as cards, all or those with one number of bedrooms; one of them may be shown large. */
export function FloorPlanGrid({ downloads, loadLargeView = importLargeView }: FloorPlanGridProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { wanted, open, turn, close } = useLargePlan();
  const [LargeView, setLargeView] = useState<ComponentType<LargeViewProps> | null>(null);
  const [failed, setFailed] = useState<FloorPlanId | null>(null);
  const { search } = useLocation();
  const bedrooms = bedroomsIn(search);
  const shown = floorPlans.filter((plan) => bedrooms === null || plan.bedrooms === bedrooms);
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
    <>
      <PlansAtAGlance plans={shown} bedrooms={bedrooms} onOpen={enlarge} />
      {planTypes.map((type) => {
        const group = shown.filter((plan) => plan.type === type);
        return (
          group.length > 0 && (
            <section key={type} className="plan-group page-width" aria-labelledby={`plans-${type}`}>
              <h2 id={`plans-${type}`}>{t(`plans.type.${type}`)}</h2>
              <div className="plan-grid">
                {group.map((plan) => (
                  <FloorPlanCard
                    key={plan.id}
                    plan={plan}
                    downloads={downloads}
                    failed={plan.id === failed}
                    first={plan === shown[0] || plan === shown[1]}
                    onIntent={() => prepare(plan.id)}
                    onEnlarge={() => enlarge(plan.id)}
                  />
                ))}
              </div>
            </section>
          )
        );
      })}
      <ComparePlans />
      {LargeView && (
        <LargeView wanted={wanted} downloads={downloads} onTurn={turn} onClose={close} />
      )}
    </>
  );
}

/** The number of bedrooms that an address asks for, as `?bedrooms=2`. */
function bedroomsIn(search: string): number | null {
  const asked = new URLSearchParams(search).get("bedrooms");
  return bedroomCounts.find((count) => String(count) === asked) ?? null;
}
