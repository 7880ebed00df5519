import type { Language } from "#i18n/language.ts";
import { consentTexts } from "./consent-texts.ts";
import { MessagePage, SsiDirective } from "./message-pages.tsx";
import { tokenMark } from "./withdrawal-pages.tsx";

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
      <SsiDirective
        name="div"
        text={`<!--# if expr="$withdrawal_token" --><form class="message-choice" method="post" action="${action}">
          <button class="button" name="channel" value="phone">${texts.phone}</button>
          <button class="button button-plain" name="channel" value="message">${texts.message}</button>
        </form><!--# else --><p>${texts.incomplete}</p><!--# endif -->`}
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
