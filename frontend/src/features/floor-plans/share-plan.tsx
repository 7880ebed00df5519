import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { FloorPlanId } from "#content/floor-plans.ts";
import { breakable } from "#i18n/breakable.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { href } from "#routes.ts";
import "#ui/button.css";

/** Hands on the address of a plan, in the reader's language. */
export function SharePlan({ id, name }: { id: FloorPlanId; name: string }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const [said, setSaid] = useState<"copied" | "notCopied" | null>(null);

  async function share(): Promise<void> {
    const url = `${window.location.origin}${href("floorPlans", language, { plan: id })}`;
    if (navigator.share !== undefined) {
      // Whoever closes the list of ways to share has changed their mind.
      await navigator.share({ title: breakable(name), url }).catch(() => {});
      return;
    }
    // Only a page that came by https may write to the clipboard.
    const copied = navigator.clipboard?.writeText(url) ?? Promise.reject();
    setSaid(
      await copied.then(
        () => "copied" as const,
        () => "notCopied" as const,
      ),
    );
  }

  return (
    <button type="button" className="button button-small button-plain" onClick={() => void share()}>
      <span aria-live="polite">
        {t(said === null ? "plans.viewer.share" : `plans.viewer.${said}`)}
      </span>
    </button>
  );
}
