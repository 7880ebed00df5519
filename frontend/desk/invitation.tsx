import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { api, hasCode, leadQuery, type Mailed, type Opened } from "./api.ts";
import { Button, errorText, focusOnMount } from "./elements.tsx";
import { LeadView } from "./lead.tsx";
import { language, texts } from "./page.ts";
import { loggedIn, sessionQuery } from "./session.ts";
import { browserId, loginRequest } from "./storage.ts";
import { inWords } from "./time.ts";

interface InvitationProps {
  heading: ReactNode;
  text: string;
  /** `null` if the page was opened without a link. */
  linkKey: string | null;
  /** The person of the link, while it is valid. */
  invited?: string;
  /** Replaces the form that requests an email. */
  children?: ReactNode;
}

/** Requests an email with a login link. */
export function Invitation({ heading, text, linkKey, invited, children }: InvitationProps) {
  const mail = useMutation({
    mutationFn: (address?: string) => api.mailLink(linkKey ?? "", address),
    onSuccess: (_, address) => {
      if (address === undefined && invited !== undefined) {
        loginRequest.keep(invited);
      }
    },
  });

  function mailColleague(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    mail.mutate(String(new FormData(event.currentTarget).get("address")));
  }

  return (
    <section className="desk-panel">
      {heading}
      <p>{text}</p>
      {linkKey !== null && (
        <>
          {children || (
            <button
              type="button"
              className="button"
              disabled={mail.isPending}
              onClick={() => mail.mutate(undefined)}
            >
              {invited === undefined ? texts.mailNew : texts.mailTo(invited)}
            </button>
          )}
          <details>
            <summary>{texts.iAmAnother}</summary>
            <form onSubmit={mailColleague}>
              <label className="field-label" htmlFor="desk-address">
                {texts.address}
              </label>
              <input
                id="desk-address"
                name="address"
                className="field-input"
                type="email"
                required
                autoComplete="email"
              />
              <Button type="submit" busy={mail.isPending}>
                {texts.mailMe}
              </Button>
            </form>
          </details>
        </>
      )}
      <p role="status">
        {mail.isError && errorText(mail.error)}
        {mail.isSuccess && answerText(mail.data)}
      </p>
    </section>
  );
}

function answerText({ mailbox, unsent }: Mailed): string {
  if (mailbox === null) {
    return texts.mailed;
  }
  return unsent
    ? texts.unsent[unsent.reason](mailbox, inWords(unsent.until, language, undefined))
    : texts.mailedTo(mailbox);
}

/** A lead with the content of its email, and the login. */
export function MailView({ opened, linkKey }: { opened: Opened; linkKey: string }) {
  const client = useQueryClient();
  const { error, isError, isPending, mutate } = useMutation({
    mutationFn: () => api.logIn(linkKey, browserId.read()),
    onSuccess: ({ me, lead }) => {
      if (me !== null) {
        client.setQueryData(leadQuery(lead.id).queryKey, lead);
        client.setQueryData(sessionQuery.queryKey, loggedIn(me, linkKey));
      }
    },
  });
  const { invited, lead } = opened;
  const isRefused = hasCode(error, "used_link", "expired_link");
  const canLogIn = opened.may_log_in && !isRefused;

  return (
    <>
      <LeadView lead={lead} by={invited} />
      <Invitation
        linkKey={linkKey}
        invited={invited}
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
