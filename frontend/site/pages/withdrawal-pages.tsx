import type { Language } from "#shared/i18n/language.ts";
import { MessagePage, SsiDirective, TokenForm, tokenMark } from "./message-pages.tsx";
import { withdrawalTexts } from "./withdrawal-texts.ts";

interface Props {
  language: Language;
}

/** The page of the link in an email. Only its buttons withdraw consent, because mail scanners open links. */
export function Withdraw({ language }: Props) {
  const texts = withdrawalTexts[language];
  const action = `/functions/v1/withdraw?token=${tokenMark}&amp;lang=${language}`;
  return (
    <MessagePage>
      <h1 className="message-sentence">{texts.heading}</h1>
      <p>{texts.text}</p>
      <TokenForm
        action={action}
        name="request"
        first={["withdrawal", texts.withdraw]}
        second={["erasure", texts.erase]}
        incomplete={texts.incomplete}
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
