import { useTranslation } from "react-i18next";
import { anchors } from "#routes.ts";
import { RegisterLink } from "#shell/page-link.tsx";
import { Arrow } from "#ui/icons.tsx";
import "./call-to-action.css";

/** On a phone the button waits at the foot of the window and rests below the band, with which the parent must end. */
export function CallToAction({ of }: { of: "callToAction" | "visit" }) {
  const { t } = useTranslation();
  const button = t(`${of}.button`);
  return (
    <>
      <section
        id={of === "callToAction" ? anchors.callToAction : undefined}
        className="call-to-action on-rain-tree call-to-action-parted"
      >
        <div className="call-to-action-row page-width">
          <div className="call-to-action-words">
            <h2>{t(`${of}.heading`)}</h2>
            {of === "visit" && <p>{t("visit.text")}</p>}
          </div>
          <RegisterLink className="button">{button}</RegisterLink>
        </div>
      </section>
      <RegisterLink className="call-to-action-bar on-rain-tree">
        {button}
        <Arrow />
      </RegisterLink>
    </>
  );
}
