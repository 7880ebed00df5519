import { type ComponentProps, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { type FloorPlanId, planFile } from "#content/floor-plans.ts";
import { breakable } from "#i18n/breakable.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { anchors, href } from "#routes.ts";
import { settings } from "#settings.ts";
import { usePlansAddress } from "./plans-address.ts";

interface PlanLinkProps extends Omit<ComponentProps<typeof Link>, "to"> {
  id: FloorPlanId;
}

export function PlanLink({ id, ...rest }: PlanLinkProps) {
  const { addressWith } = usePlansAddress();
  return <Link to={addressWith({ plan: id })} state={{ opened: true, inPlace: true }} {...rest} />;
}

/** Leads to the form, which then asks about this plan. */
export function AskLink({ id }: { id: FloorPlanId }) {
  const { t } = useTranslation();
  const name = t(`plans.unit.${id}.heading`);
  const language = useLanguage();
  return (
    <Link
      className="button button-small plan-ask"
      to={`${href("home", language, { ask: id })}#${anchors.form}`}
      aria-label={t("plans.askOf", { name })}
    >
      {t("plans.ask")}
    </Link>
  );
}

/** Downloads the plan's sheet where the build offers downloads, and only logs elsewhere. */
export function DownloadPlan({ id }: { id: FloorPlanId }) {
  const { t } = useTranslation();
  const name = t(`plans.unit.${id}.heading`);
  const language = useLanguage();
  const shared = {
    className: "button button-small plan-download",
    // Speech control needs a label that begins with the visible text.
    "aria-label": t("plans.downloadOf", { name }),
    children: t("plans.download"),
  };
  return settings.planDownloads ? (
    <a {...shared} href={planFile(id, language)} download />
  ) : (
    <button
      {...shared}
      type="button"
      onClick={() => console.log(`Download plan: ${breakable(name)} (${id})`)}
    />
  );
}

/** Shares the address of a plan, in the reader's language; copies it where the browser cannot share. */
export function SharePlan({ id }: { id: FloorPlanId }) {
  const { t } = useTranslation();
  const name = t(`plans.unit.${id}.heading`);
  const language = useLanguage();
  const [result, setResult] = useState<{ of: FloorPlanId; text: "copied" | "notCopied" }>();

  async function share(): Promise<void> {
    const url = `${window.location.origin}${href("floorPlans", language, { plan: id })}`;
    try {
      await navigator.share({ title: breakable(name), url });
      return;
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") {
        return;
      }
    }
    try {
      // Browsers offer the clipboard only to pages that came by https.
      await navigator.clipboard.writeText(url);
      setResult({ of: id, text: "copied" });
    } catch {
      setResult({ of: id, text: "notCopied" });
    }
  }

  return (
    <button type="button" className="button button-small button-plain" onClick={() => void share()}>
      <span aria-live="polite">
        {t(`plans.viewer.${result?.of === id ? result.text : "share"}`)}
      </span>
    </button>
  );
}
