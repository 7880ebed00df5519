import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import { plans } from "#art/plans.ts";
import type { FloorPlan, FloorPlanId } from "#content/floor-plans.ts";
import { defaultLanguage } from "#i18n/language.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { href } from "#routes.ts";
import { settings } from "#settings.ts";
import { isPlainClick } from "#ui/is-plain-click.ts";
import { Area } from "./area.tsx";
import { AskLink } from "./ask-link.tsx";
import { DownloadPlan } from "./download-plan.tsx";
import "./floor-plan-card.css";
import { Rooms } from "./rooms.tsx";
import { ScaleLine } from "./scale-line.tsx";

interface FloorPlanCardProps {
  plan: FloorPlan & { id: FloorPlanId };
  downloads: boolean;
  /** Whether the large view was asked for and could not be loaded. */
  failed: boolean;
  /** Whether the drawing is fetched at once, not when it comes near. */
  first: boolean;
  /** The large view may be wanted soon. */
  onIntent: () => void;
  onEnlarge: () => void;
}

/** A unit with its drawing, which opens large; without script the link leads to the large drawing. */
export function FloorPlanCard(props: FloorPlanCardProps) {
  const { plan, downloads, failed, first, onIntent, onEnlarge } = props;
  const { t } = useTranslation();
  const language = useLanguage();
  const name = t(`plans.unit.${plan.id}.heading`);
  const { card, large } = plans[plan.id];

  function enlarge(event: MouseEvent): void {
    if (isPlainClick(event)) {
      event.preventDefault();
      onEnlarge();
    }
  }

  return (
    <article className="plan" id={plan.id}>
      <div className="plan-picture">
        <a
          className="plan-link"
          href={large[language]}
          onPointerEnter={onIntent}
          onFocus={onIntent}
          onClick={enlarge}
        >
          <img
            className={`plan-drawing plan-share-${plan.id}`}
            src={card[language]}
            width={card.width}
            height={card.height}
            alt={t("plans.enlarge", { name })}
            decoding="async"
            loading={first ? "eager" : "lazy"}
          />
          <svg className="plan-enlarge" viewBox="0 0 24 24" aria-hidden="true">
            <path
              d="M4 9V4h5M20 15v5h-5M4 4l6 6M20 20l-6-6"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.25"
            />
          </svg>
        </a>
      </div>
      <p className="plan-type visually-hidden">{t(`plans.type.${plan.type}`)}</p>
      <div className="plan-head">
        <h3 className="plan-name">{name}</h3>
        <p className="plan-area">
          <Area of={plan} />
        </p>
      </div>
      <ScaleLine size={plan.size} />
      <div className="plan-foot">
        <p>{t(`plans.unit.${plan.id}.text`)}</p>
        <p className="plan-rooms">
          <Rooms of={plan} />
        </p>
      </div>
      <p className="print-only">
        {t("plans.viewer.illustrative")}
        <span>{`${settings.siteOrigin}${href("floorPlans", defaultLanguage)}#${plan.id}`}</span>
      </p>
      <DownloadPlan of={plan} name={name} downloads={downloads} />
      <div className="plan-ask">
        <AskLink about={plan.id} name={name} />
      </div>
      {failed && (
        <p className="plan-failure" role="alert">
          {t("plans.viewer.failed")}
        </p>
      )}
    </article>
  );
}
