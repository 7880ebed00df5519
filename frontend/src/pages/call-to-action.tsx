import { RegisterLink } from "#shell/page-link.tsx";
import { Arrow } from "#ui/icons.tsx";
import "#ui/button.css";
import "./call-to-action.css";

interface CallToActionProps {
  id?: string;
  heading: string;
  text?: string;
  button: string;
}

/**
 * The band that leads to the form. On a phone its button waits at the foot of the window and comes to rest below the
 * band, with which the parent must end.
 */
export function CallToAction({ id, heading, text, button }: CallToActionProps) {
  return (
    <>
      <section id={id} className="call-to-action on-rain-tree call-to-action-parted">
        <div className="call-to-action-row page-width">
          <div className="call-to-action-words">
            <h2>{heading}</h2>
            {text !== undefined && <p>{text}</p>}
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
