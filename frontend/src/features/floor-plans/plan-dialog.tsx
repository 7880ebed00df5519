import { useId } from "react";
import { useTranslation } from "react-i18next";
import { plans } from "#art/plans.ts";
import { type FloorPlanId, floorPlans } from "#content/floor-plans.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { IconButton, Viewer } from "#ui/viewer.tsx";
import { Area } from "./area.tsx";
import { AskLink } from "./ask-link.tsx";
import { DownloadPlan } from "./download-plan.tsx";
import "./plan-dialog.css";
import { Rooms } from "./rooms.tsx";
import { SharePlan } from "./share-plan.tsx";

export interface PlanDialogProps {
  id: FloorPlanId;
  /** Whether there are files to download. */
  downloads: boolean;
  /** To the next plan or the previous; after the last comes the first. */
  onTurn: (direction: 1 | -1) => void;
  onClose: () => void;
}

/** One plan over the whole window: its drawing alone, data above, page, actions and zoom below. */
export function PlanDialog({ id, downloads, onTurn, onClose }: PlanDialogProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const headingId = useId();
  const number = floorPlans.findIndex((each) => each.id === id) + 1;
  const plan = floorPlans[number - 1] as (typeof floorPlans)[number];
  const name = t(`plans.unit.${id}.heading`);
  const { large } = plans[id];
  return (
    <Viewer
      picture={{
        src: large[language],
        width: large.width,
        height: large.height,
        alt: t("plans.picture", { name }),
      }}
      headingId={headingId}
      names={{
        close: t("plans.viewer.close"),
        zoomIn: t("plans.viewer.zoomIn"),
        zoomOut: t("plans.viewer.zoomOut"),
      }}
      onTurn={onTurn}
      onClose={onClose}
      head={
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
      }
      foot={
        <>
          <div className="viewer-controls">
            <IconButton
              name={t("plans.viewer.previous")}
              icon="M15 4l-8 8 8 8"
              onPress={() => onTurn(-1)}
            />
            <p>{t("plans.viewer.position", { number, count: floorPlans.length })}</p>
            <IconButton
              name={t("plans.viewer.next")}
              icon="M9 4l8 8-8 8"
              onPress={() => onTurn(1)}
            />
          </div>
          <div className="plan-dialog-actions">
            <SharePlan id={id} name={name} />
            <DownloadPlan of={plan} name={name} downloads={downloads} />
            <AskLink about={id} name={name} />
          </div>
          <p className="plan-dialog-note">{t("plans.viewer.illustrative")}</p>
        </>
      }
    />
  );
}
