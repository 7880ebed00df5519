import type { Language } from "#shared/i18n/language.ts";
import consent from "#site/content/consent.json" with { type: "json" };

/** Separate from the messages, which browsers load, because these pages have no script. */
export const consentTexts = {
  en: {
    title: "How may we reach you?: Zyon Grand",
    heading: consent.question.en,
    text: "Without your agreement we only write to your email address. You can withdraw it at any time, with the link “Stop contacting me” in any email from us.",
    phone: consent.phone.en,
    message: consent.message.en,
    incomplete:
      "This link is incomplete. Please open it from our email again, or reply to that email.",
    doneTitle: "Thank you: Zyon Grand",
    doneHeading: "Thank you",
    donePhone: "A sales consultant may now call you about Zyon Grand.",
    doneMessage: "A sales consultant may now message you about Zyon Grand on WhatsApp or by SMS.",
    after:
      "If you have asked us to stop contacting you, this changes nothing: reply to one of our emails instead.",
  },
  zh: {
    title: "您希望我们如何联系您？：Zyon Grand",
    heading: consent.question.zh,
    text: "未经您同意，我们只会以电邮联系您。您可随时通过任何一封电邮中的“不要再联系我”链接撤回同意。",
    phone: consent.phone.zh,
    message: consent.message.zh,
    incomplete: "链接不完整。请从我们的电邮中重新打开，或直接回复该电邮。",
    doneTitle: "谢谢您：Zyon Grand",
    doneHeading: "谢谢您",
    donePhone: "销售顾问可就 Zyon Grand 致电给您。",
    doneMessage: "销售顾问可就 Zyon Grand 以 WhatsApp 或短信联系您。",
    after: "如您曾要求我们停止联系，此项不会改变您的要求；请直接回复我们的电邮。",
  },
} satisfies Record<Language, Record<string, string>>;
