import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { api, linkFailureOf, type Mailed } from "#desk/api.ts";
import { language, texts } from "#desk/language.ts";
import { inWords } from "#desk/time.ts";
import { Button } from "#desk/ui/button.tsx";
import { errorText } from "#desk/ui/error-text.ts";
import { Heading } from "#desk/ui/heading.tsx";
import type { Session } from "./session.ts";
import { loginRequest } from "./storage.ts";

interface InvitationProps {
  heading: ReactNode;
  text: string;
  /** The links that may request the email, best first. Without one, the page has no button. */
  links: { key: string; person?: string }[];
  /** Whether the first link is valid, so colleagues may use it too. */
  isValid?: boolean;
  /** Replaces the button that requests an email. */
  children?: ReactNode;
}

/** Requests an email with a login link. */
export function Invitation({ heading, text, links, isValid = false, children }: InvitationProps) {
  const [first] = links;
  const mail = useMutation({
    mutationFn: async (address?: string) => {
      const { mailed, person } = await requestEmail(links, address);
      if (address === undefined && person !== undefined) {
        loginRequest.keep(person);
      }
      return mailed;
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
      {first !== undefined && (
        <>
          {children || (
            <button
              type="button"
              className="button"
              disabled={mail.isPending}
              onClick={() => mail.mutate(undefined)}
            >
              {first.person === undefined ? texts.mailNew : texts.mailTo(first.person)}
            </button>
          )}
          {isValid ? (
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
          ) : (
            <p className="desk-quiet">{texts.notYou(first.person)}</p>
          )}
        </>
      )}
      <p role="status">
        {mail.isError && failureText(mail.error)}
        {mail.isSuccess && answerText(mail.data)}
      </p>
    </section>
  );
}

/** Requests the email with the first link that can still request one, whose person is returned. */
async function requestEmail(
  [link, ...others]: InvitationProps["links"],
  address?: string,
): Promise<{ mailed: Mailed; person: string | undefined }> {
  const { key = "", person } = link ?? {};
  try {
    return { mailed: await api.mailLink(key, address), person };
  } catch (error) {
    if (others.length === 0 || linkFailureOf(error) === null) {
      throw error;
    }
    return requestEmail(others, address);
  }
}

function failureText(error: Error): string {
  return linkFailureOf(error) === null ? errorText(error) : texts.uselessLink;
}

/** Offers a login without a session, and says why a link opens no lead. */
export function LoggedOut({ failure, expiredKey, last }: LoggedOutProps) {
  const expired = expiredKey === undefined ? [] : [{ key: expiredKey }];
  const links = [...expired, ...(last === null ? [] : [last])];
  const withoutLink =
    links.length === 0 ? [texts.loggedOut, texts.loggedOutText] : [texts.logIn, texts.logInText];
  const [heading = "", text = ""] = failure ? texts.unopened[failure] : withoutLink;
  return <Invitation heading={<Heading>{heading}</Heading>} text={text} links={links} />;
}

type LoggedOutProps = Extract<Session, { state: "logged-out" }>;

function answerText({ mailbox, unsent }: Mailed): string {
  if (mailbox === null) {
    return texts.mailed;
  }
  return unsent
    ? texts.unsent[unsent.reason](mailbox, inWords(unsent.until, language, undefined))
    : texts.mailedTo(mailbox);
}
