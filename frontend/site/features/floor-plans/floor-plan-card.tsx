import { type FloorPlan, floorPlans, withThousands } from "#shared/content/floor-plans.ts";
import { defaultLanguage } from "#shared/i18n/language.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Icon } from "#shared/ui/icons.tsx";
import { plans } from "#site/art/plans.ts";
import { href } from "#site/routes.ts";
import { settings } from "#site/settings.ts";
import "./floor-plan-card.css";
import { AskLink, CompareButton, DownloadPlan, PlanLink, Price } from "./plan-actions.tsx";
import { RoomList } from "./room-list.tsx";

const LARGEST = Math.max(...floorPlans.map(({ size }) => size));

export function FloorPlanCard({ plan }: { plan: FloorPlan }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { id } = plan;
  const name = t(`unit.${id}.heading`);
  const { card, large } = plans[id];
  return (
    <article className="plan stack" id={id}>
      <div className="plan-picture">
        <PlanLink id={id} className="plan-link" data-replay>
          <img
            className={`plan-drawing plan-share-${id}`}
            src={card[language]}
            width={card.width}
            height={card.height}
            alt={t("plans.enlarge", { name })}
            decoding="async"
            loading="lazy"
          />
          <Icon className="plan-enlarge" path="M4 9V4h5M20 15v5h-5M4 4l6 6M20 20l-6-6" />
        </PlanLink>
        {/* The viewer needs JavaScript. */}
        <noscript>
          <a className="plan-large" href={large[language]}>
            <span className="visually-hidden">{t("plans.enlarge", { name })}</span>
          </a>
        </noscript>
      </div>
      {/* The scripts have no list, and so no addresses of its pictures. */}
      <noscript>{import.meta.env.SSR && <RoomList plan={plan} />}</noscript>
      <p className="plan-type label">{t(`plans.type.${plan.type}`)}</p>
      <div className="plan-head spread">
        <h2 className="h3">{name}</h2>
        <Area of={plan} />
      </div>
      <ScaleLine of={plan} />
      <div className="plan-foot quiet">
        <p>{t(`plans.about.${id}`)}</p>
        <Rooms of={plan} />
        <Price id={id} />
      </div>
      <p className="print-only spread quiet">
        {t("plans.illustrative")}
        <span>{`${settings.siteOrigin}${href("floorPlans", defaultLanguage, { plan: id })}`}</span>
      </p>
      <DownloadPlan id={id} />
      <div className="plan-actions cluster">
        <AskLink id={id} />
        <CompareButton id={id} />
      </div>
    </article>
  );
}

export function Area({ of: { id, size } }: { of: FloorPlan }) {
  const { t } = useTranslation();
  return (
    // A new element for each plan, because a browser's translator may have replaced its text nodes.
    <p key={id} className="plan-area unbroken">
      {withThousands(size)}
      {"\u00a0"}
      <small>{t("areaUnit")}</small>
    </p>
  );
}

export function Rooms({ of: { bedrooms, bathrooms } }: { of: FloorPlan }) {
  const { t } = useTranslation();
  return (
    <p className="plan-rooms">
      {t("plans.rooms", {
        bedrooms: t("plans.bedrooms", { count: bedrooms }),
        bathrooms: t("plans.bathrooms", { count: bathrooms }),
      })}
    </p>
  );
}

/** A bar with the area of the unit in proportion to the largest unit. */
export function ScaleLine({ of: { size } }: { of: FloorPlan }) {
  const share = Math.round((1000 * size) / LARGEST);
  return (
    <svg className="scale-line" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">
      <path className="scale-line-whole" d="M0 7.5H1000" />
      <path className="scale-line-part" d={`M0 7.5H${share}V0`} />
    </svg>
  );
}
