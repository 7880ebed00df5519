import type { Language } from "#shared/i18n/language.ts";
import { consentTexts } from "./consent-texts.ts";
import { MessagePage, SsiDirective, TokenForm, tokenMark } from "./message-pages.tsx";

interface Props {
  language: Language;
}

/** The page of the link in the confirmation and on the success card. Only its buttons give consent, because mail scanners open links. */
export function Agree({ language }: Props) {
  const texts = consentTexts[language];
  const action = `/functions/v1/agree?token=${tokenMark}&amp;lang=${language}`;
  return (
    <MessagePage>
      <h1 className="message-sentence">{texts.heading}</h1>
      <p>{texts.text}</p>
      <TokenForm
        action={action}
        name="channel"
        first={["phone", texts.phone]}
        second={["message", texts.message]}
        incomplete={texts.incomplete}
      />
    </MessagePage>
  );
}

export function Agreed({ language }: Props) {
  const texts = consentTexts[language];
  return (
    <MessagePage>
      <h1 className="message-sentence">{texts.doneHeading}</h1>
      <SsiDirective
        name="div"
        text={`<p><!--# if expr="$arg_channel = phone" -->${texts.donePhone}<!--# else -->${texts.doneMessage}<!--# endif --></p>`}
      />
      <p>{texts.after}</p>
    </MessagePage>
  );
}
