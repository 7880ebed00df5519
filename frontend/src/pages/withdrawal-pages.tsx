import type { Language } from "#i18n/language.ts";
import { MessagePage, SsiDirective } from "./message-pages.tsx";
import { withdrawalTexts } from "./withdrawal-texts.ts";

interface Props {
  language: Language;
}

/** Placeholder of the token, which nginx inserts into the form and into the link to the other language. */
export const tokenMark = "WITHDRAWAL_TOKEN";

/** The page of the link in an email. Only its buttons withdraw consent, because mail scanners open links. */
export function Withdraw({ language }: Props) {
  const texts = withdrawalTexts[language];
  const action = `/functions/v1/withdraw?token=${tokenMark}&amp;lang=${language}`;
  return (
    <MessagePage>
      <h1 className="message-sentence">{texts.heading}</h1>
      <p>{texts.text}</p>
      <SsiDirective
        name="div"
        text={`<!--# if expr="$withdrawal_token" --><form class="message-choice" method="post" action="${action}">
          <button class="button" name="request" value="withdrawal">${texts.withdraw}</button>
          <button class="button button-plain" name="request" value="erasure">${texts.erase}</button>
        </form><!--# else --><p>${texts.incomplete}</p><!--# endif -->`}
      />
    </MessagePage>
  );
}

export function Withdrawn({ language }: Props) {
  const texts = withdrawalTexts[language];
  return (
    <MessagePage>
      <h1 className="message-sentence">{texts.doneHeading}</h1>
      <p>{texts.done}</p>
      <SsiDirective
        name="div"
        text={`<!--# if expr="$arg_request = erasure" --><p>${texts.erasure}</p><!--# endif -->`}
      />
    </MessagePage>
  );
}

export function NotWithdrawn({ language }: Props) {
  const texts = withdrawalTexts[language];
  return (
    <MessagePage>
      <h1 className="message-sentence">{texts.failedHeading}</h1>
      <SsiDirective
        name="div"
        text={`<p><!--# if expr="$arg_errors = link" -->${texts.incomplete}<!--# else -->${texts.failed}<!--# endif --></p>`}
      />
    </MessagePage>
  );
}
