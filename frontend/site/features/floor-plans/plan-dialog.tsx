import { lazy, Suspense, useEffect, useRef } from "react";
import { useNavigate } from "react-router-dom";
import type { FloorPlan, FloorPlanId } from "#shared/content/floor-plans.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Viewer } from "#shared/ui/viewer.tsx";
import { plans } from "#site/art/plans.ts";
import { roomPoints } from "#site/art/room-points.ts";
import { inPlace, useEntryState } from "#site/history-entry.ts";
import { settings } from "#site/settings.ts";
import { AskLink, CompareButton, DownloadPlan, Price, SharePlan } from "./plan-actions.tsx";
import "./plan-dialog.css";
import { Area, Rooms } from "./floor-plan-card.tsx";
import { PlanEyes } from "./plan-eyes.tsx";
import { usePlansAddress } from "./plans-address.ts";

const PlanRoom = lazy(loadRoom);

/** The first room loads its script. If the script is missing, as after a deploy, the browser loads the document again. */
async function loadRoom() {
  try {
    return { default: (await import("./plan-room.tsx")).PlanRoom };
  } catch (error) {
    const [arrival] = performance.getEntriesByType("navigation");
    if (arrival instanceof PerformanceNavigationTiming && arrival.type === "reload") {
      throw error;
    }
    window.location.reload();
    return new Promise<never>(() => {});
  }
}

/** The viewer of the plan in the address. Back closes it, and a reload keeps it open. */
export function PlanDialog({
  plan,
  siblings,
}: {
  plan: FloorPlan;
  siblings: readonly FloorPlan[];
}) {
  const { t } = useTranslation();
  const language = useLanguage();
  const state = useEntryState();
  const navigate = useNavigate();
  const { addressWith, view } = usePlansAddress();
  const points = roomPoints[plan.id] ?? [];
  const standing = points.findIndex(([name]) => name === view);
  const isInside = standing >= 0;
  useReturnFocus(plan.id);
  const { id } = plan;
  const name = t(`unit.${id}.heading`);
  const { width, height, ...drawings } = plans[id].large;
  const index = siblings.indexOf(plan);

  function show(next: FloorPlanId | null): void {
    navigate(addressWith({ plan: next }), inPlace(state));
  }

  /** Shows another room of the plan, or the plan alone. A room that an eye opened has its own history entry. */
  function walk(steps: -1 | 1 | null): void {
    if (steps === null && state.stoodIn === id) {
      navigate(-1);
      return;
    }
    const next = steps === null ? null : points.at((standing + steps) % points.length);
    navigate(addressWith({ view: next?.[0] ?? null }), inPlace(state));
  }

  /** Without a history entry of this site, the previous page is another site. */
  function close(): void {
    if (state.opened) {
      navigate(state.stoodIn === undefined ? -1 : -2);
    } else {
      show(null);
    }
  }

  return (
    <Viewer
      className={isInside ? "viewer-split" : ""}
      name={name}
      picture={{ src: drawings[language], width, height, alt: t("plans.picture", { name }) }}
      position={{ number: index + 1, count: siblings.length }}
      onStep={(direction) => show(siblings.at((index + direction) % siblings.length)?.id ?? null)}
      onArrow={isInside ? walk : undefined}
      onEscape={isInside ? () => walk(null) : undefined}
      onClose={close}
      marks={<PlanEyes plan={plan} />}
      aside={
        isInside && (
          <Suspense fallback={<section className="plan-room on-ink" aria-busy="true" />}>
            <PlanRoom plan={plan} at={standing} onWalk={walk} />
          </Suspense>
        )
      }
      head={
        <div className="plan-dialog-data spread" aria-live="polite" aria-atomic="true">
          <div className="plan-dialog-title">
            <p className="label">{t(`plans.type.${plan.type}`)}</p>
            <h2 className="h3" tabIndex={-1}>
              <span className="plan-dialog-name">{name.slice(0, -id.length)}</span>
              <span>{id}</span>
            </h2>
            <Price id={id} />
          </div>
          <Area of={plan} />
          <Rooms of={plan} />
        </div>
      }
      foot={
        <>
          <div className="plan-dialog-actions cluster">
            <SharePlan id={id} view={points[standing]?.[0]} />
            {settings.planDownloads && <DownloadPlan id={id} />}
            <CompareButton id={id} />
            <AskLink id={id} />
          </div>
          <p className="plan-dialog-note">
            {t("plans.illustrative")}
            {points.length > 0 && ` · ${t("plans.room.hint")}`}
          </p>
        </>
      }
    />
  );
}

/** Focuses the card of the last plan if the browser returns the focus to another card or to none. */
function useReturnFocus(id: FloorPlanId): void {
  const seen = useRef({ first: id, last: id });

  useEffect(() => {
    seen.current.last = id;
  }, [id]);

  useEffect(
    () => () => {
      const { first, last } = seen.current;
      if (first !== last || document.activeElement === document.body) {
        const link = document.getElementById(last)?.querySelector("a");
        link?.focus({ preventScroll: true });
        link?.scrollIntoView({ block: "center", behavior: "instant" });
      }
    },
    [],
  );
}
