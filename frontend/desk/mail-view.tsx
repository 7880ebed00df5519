import { useState } from "react";
import { hasCode, type Opened } from "./api.ts";
import { useDesk, useTask } from "./context.ts";
import { focusOnMount } from "./elements.tsx";
import { Invitation } from "./invitation.tsx";
import { LeadView } from "./lead-view.tsx";
import { browserId } from "./storage.ts";

interface Props {
  opened: Opened;
  linkKey: string;
  onSignedIn: (opened: Opened) => void;
}

/** A lead as its mail had it, and the way to sign in. */
export function MailView({ opened, linkKey, onSignedIn }: Props) {
  const { api, texts } = useDesk();
  const { busy, failure, run } = useTask();
  const [isRefused, setIsRefused] = useState(false);
  const { invited, lead } = opened;
  const link = { linkKey, invited };

  async function signIn(): Promise<void> {
    await run(async () => {
      try {
        onSignedIn(await api.signIn(linkKey, browserId.read()));
      } catch (error) {
        if (!hasCode(error, "used_link", "expired_link")) {
          throw error;
        }
        setIsRefused(true);
      }
    });
  }

  return (
    <>
      <LeadView key={lead.id} lead={lead} />
      {opened.may_sign_in && !isRefused ? (
        <Invitation
          {...link}
          heading={<h2>{texts.notSignedIn(invited)}</h2>}
          text={texts.continueText}
        >
          <button
            type="button"
            className="button"
            aria-disabled={busy}
            onClick={() => !busy && void signIn()}
          >
            {texts.continueAs(invited)}
          </button>
          <p role="status">{failure}</p>
        </Invitation>
      ) : (
        <Invitation
          {...link}
          key="refused"
          heading={
            <h2 ref={isRefused ? focusOnMount : null} tabIndex={-1}>
              {texts.notSignedIn(invited)}
            </h2>
          }
          text={texts.confirm(invited)}
        />
      )}
    </>
  );
}
