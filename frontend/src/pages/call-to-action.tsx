import { AnchorLink } from "#shell/anchor-link.tsx";
import { Arrow } from "#ui/arrow.tsx";
import "#ui/button.css";
import { anchors } from "#routes.ts";
import { buttonRole } from "#ui/link-events.ts";
import "./call-to-action.css";

interface CallToActionProps {
  id?: string;
  heading: string;
  text?: string;
  button: string;
  /** On a phone the button waits at the foot of the window and comes to rest below the band, with which the parent must end. */
  sticky?: boolean;
}

/** The band that leads to the form. */
export function CallToAction({ id, heading, text, button, sticky = false }: CallToActionProps) {
  return (
    <>
      <section
        id={id}
        className={`call-to-action on-rain-tree${sticky ? " call-to-action-parted" : ""}`}
      >
        <div className="call-to-action-row page-width">
          <div className="call-to-action-words">
            <h2>{heading}</h2>
            {text !== undefined && <p>{text}</p>}
          </div>
          <AnchorLink className="button" to={anchors.form} {...buttonRole}>
            {button}
          </AnchorLink>
        </div>
      </section>
      {sticky && (
        <AnchorLink className="call-to-action-bar on-rain-tree" to={anchors.form} {...buttonRole}>
          {button}
          <Arrow />
        </AnchorLink>
      )}
    </>
  );
}
