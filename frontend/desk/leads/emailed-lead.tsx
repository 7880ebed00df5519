import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, hasCode, leadQuery, type Opened } from "#desk/api.ts";
import { texts } from "#desk/language.ts";
import { Invitation } from "#desk/session/invitation.tsx";
import { loggedIn, sessionQuery } from "#desk/session/session.ts";
import { browserId } from "#desk/session/storage.ts";
import { errorText } from "#desk/ui/error-text.ts";
import { focusOnMount } from "#desk/ui/focus.ts";
import { LeadView } from "./lead.tsx";

/** A lead with the content of its email, and the login. */
export function EmailedLead({ opened, linkKey }: { opened: Opened; linkKey: string }) {
  const client = useQueryClient();
  const { invited, lead } = opened;
  const { error, isError, isPending, mutate } = useMutation({
    mutationFn: () => api.logIn(linkKey, browserId.read()),
    onSuccess: ({ me, lead: current }) => {
      if (me !== null) {
        client.setQueryData(leadQuery(lead.id).queryKey, current);
        const opened = { key: linkKey, person: invited };
        client.setQueryData(sessionQuery.queryKey, loggedIn(me, opened, null));
      }
    },
  });
  const isRefused = hasCode(error, "used_link", "expired_link");
  const canLogIn = opened.may_log_in && !isRefused;

  return (
    <>
      <LeadView lead={lead} by={invited} />
      <Invitation
        links={[{ key: linkKey, person: invited }]}
        isValid
        heading={
          <h2 ref={isRefused ? focusOnMount : null} tabIndex={-1}>
            {texts.notLoggedIn}
          </h2>
        }
        text={canLogIn ? texts.continueText : texts.confirm(invited)}
      >
        {canLogIn && (
          <>
            <button
              type="button"
              className="button"
              aria-disabled={isPending}
              onClick={() => !isPending && mutate()}
            >
              {texts.continueAs(invited)}
            </button>
            <p role="status">{isError && errorText(error)}</p>
          </>
        )}
      </Invitation>
    </>
  );
}
