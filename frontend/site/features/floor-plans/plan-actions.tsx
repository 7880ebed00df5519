import type { ComponentProps } from "react";
import { Link } from "react-router-dom";
import { type FloorPlanId, planFile } from "#shared/content/floor-plans.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { ShareButton } from "#shared/ui/share.tsx";
import { priceFrom } from "#site/content/project.ts";
import type { EntryState } from "#site/history-entry.ts";
import { breakable } from "#site/i18n/breakable.ts";
import { anchors, href } from "#site/routes.ts";
import { settings } from "#site/settings.ts";
import { useComparison, usePlansAddress } from "./plans-address.ts";

interface PlanLinkProps extends Omit<ComponentProps<typeof Link>, "to"> {
  id: FloorPlanId;
}

export function PlanLink({ id, ...rest }: PlanLinkProps) {
  const { addressWith } = usePlansAddress();
  const state: EntryState = { opened: true, inPlace: true };
  return <Link to={addressWith({ plan: id })} state={state} {...rest} />;
}

/** Links to the form with this plan in the enquiry. */
export function AskLink({ id }: { id: FloorPlanId }) {
  const { t } = useTranslation();
  const name = t(`unit.${id}.heading`);
  const language = useLanguage();
  return (
    <Link
      className="button button-small"
      to={`${href("home", language, { ask: id })}#${anchors.form}`}
      aria-label={t("plans.askOf", { name })}
    >
      {t("plans.ask")}
    </Link>
  );
}

/** Adds the plan to the comparison, where it may replace the second plan, or removes it. */
export function CompareButton({ id }: { id: FloorPlanId }) {
  const { t } = useTranslation();
  const { compared, compare } = useComparison();
  const [first, second] = compared;

  function toggle(): void {
    if (first === id) {
      compare([null, second]);
    } else if (second === id) {
      compare([first, null]);
    } else {
      compare(first === null ? [id, second] : [first, id]);
    }
  }

  return (
    <button
      type="button"
      className="chip"
      data-replay
      aria-pressed={compared.includes(id)}
      aria-label={`${t("plans.compare.add")}: ${t(`unit.${id}.heading`)}`}
      onClick={toggle}
    >
      {t("plans.compare.add")}
    </button>
  );
}

/** The price of a plan, or a link to the form that asks for it. */
export function Price({ id }: { id: FloorPlanId }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const price = priceFrom[id];
  if (price !== undefined) {
    return <p>{t("plans.priceFrom", { price })}</p>;
  }
  return (
    <p className="cluster plan-price">
      {t("plans.price")}
      <Link
        to={`${href("home", language, { ask: `${id},brochure` })}#${anchors.form}`}
        aria-label={`${t("plans.sendPrice")}: ${t(`unit.${id}.heading`)}`}
      >
        {t("plans.sendPrice")}
      </Link>
    </p>
  );
}

/** Downloads the plan's sheet if the build offers downloads, and otherwise only logs a message. */
export function DownloadPlan({ id }: { id: FloorPlanId }) {
  const { t } = useTranslation();
  const name = t(`unit.${id}.heading`);
  const language = useLanguage();
  const shared = {
    className: "button button-small plan-download",
    // Speech control requires a label that starts with the visible text.
    "aria-label": t("plans.downloadOf", { name }),
    children: t("plans.download"),
  };
  return settings.planDownloads ? (
    <a {...shared} href={planFile(id, language)} download />
  ) : (
    <button
      {...shared}
      type="button"
      data-replay
      onClick={() => console.log(`Download plan: ${breakable(name)} (${id})`)}
    />
  );
}

/** Shares the address of a plan, or of one of its rooms, in the visitor's language. */
export function SharePlan({ id, view }: { id: FloorPlanId; view?: string | undefined }) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <ShareButton
      title={breakable(t(`unit.${id}.heading`))}
      url={`${window.location.origin}${href("floorPlans", language, view === undefined ? { plan: id } : { plan: id, view })}`}
      texts={t("share", { returnObjects: true })}
    />
  );
}
