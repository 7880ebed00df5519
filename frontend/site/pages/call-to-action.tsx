import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Arrow } from "#shared/ui/icons.tsx";
import { unbroken } from "#shared/ui/unbroken.tsx";
import { project } from "#site/content/project.ts";
import { useFactText } from "#site/content/project-facts.tsx";
import { anchors } from "#site/routes.ts";
import { RegisterLink } from "#site/shell/page-link.tsx";
import "./call-to-action.css";

/** On a phone the button sticks to the bottom of the window until the band, which must be last in its parent. */
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
    unbroken(t(`${of}.text`))
  );
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
