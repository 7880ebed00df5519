import { useTranslation } from "react-i18next";
import { project } from "#content/project.ts";
import { useFactText } from "#content/project-facts.tsx";
import { anchors } from "#routes.ts";
import { RegisterLink } from "#shell/page-link.tsx";
import { Arrow } from "#ui/icons.tsx";
import "./call-to-action.css";

/** On a phone the button waits at the foot of the window and rests below the band, with which the parent must end. */
export function CallToAction({ of }: { of: "callToAction" | "visit" }) {
  const { t } = useTranslation();
  const factText = useFactText();
  const button = t(`${of}.button`);
  const { showFlatAddress, showFlatHours } = project;
  const isAnnounced = of === "callToAction" && showFlatAddress !== null && showFlatHours !== null;
  const text = isAnnounced ? (
    <>
      {factText(showFlatAddress)}
      <br />
      {factText(showFlatHours)}
    </>
  ) : (
    t(`${of}.text`)
  );
  // On the home page the bar is below every section, so it asks about none.
  const ask = of === "visit" ? "showflat" : undefined;
  return (
    <>
      <section
        id={of === "callToAction" ? anchors.callToAction : undefined}
        className="call-to-action on-rain-tree call-to-action-parted"
      >
        <div className="call-to-action-row page-width">
          <div className="call-to-action-words">
            <h2>{t(`${of}.heading`)}</h2>
            <p>{text}</p>
          </div>
          <RegisterLink className="button" ask="showflat">
            {button}
          </RegisterLink>
        </div>
      </section>
      <RegisterLink className="call-to-action-bar on-rain-tree" {...(ask && { ask })}>
        {button}
        <Arrow />
      </RegisterLink>
    </>
  );
}
