import type { Language } from "#shared/i18n/language.ts";

/** Separate from the messages, which browsers load, because these pages have no script. */
export const withdrawalTexts = {
  en: {
    title: "Stop contacting me: Zyon Grand",
    heading: "Stop contacting you?",
    text: "We will no longer call, message or email you about any enquiry made with the email address that received our email. For enquiries made with another address, use the link in an email to that address.",
    withdraw: "Stop contacting me",
    erase: "Stop, and erase my details",
    incomplete:
      "This link is incomplete. Please open it from our email again, or reply to that email.",
    doneTitle: "Your request is stored: Zyon Grand",
    doneHeading: "We will stop contacting you",
    done: "This applies to every enquiry made with the email address that received our email. Everyone in our sales team who has such an enquiry will be told. If someone is writing to you at this moment, one more message may reach you.",
    erasure:
      "You also asked us to erase your details. If we still have them, we will confirm it by email within 30 days, and use your address for nothing else.",
    failedTitle: "Nothing was changed: Zyon Grand",
    failedHeading: "Nothing was changed",
    failed: "We could not store your request. Please try again in a minute, or reply to our email.",
  },
  zh: {
    title: "不要再联系我：Zyon Grand",
    heading: "要我们停止联系您吗？",
    text: "凡以收到我们电邮的地址提交的登记，我们都不会再致电、发信息或电邮给您。如曾以其他地址登记，请使用发往该地址的电邮中的链接。",
    withdraw: "不要再联系我",
    erase: "不再联系，并删除我的资料",
    incomplete: "链接不完整。请从我们的电邮中重新打开，或直接回复该电邮。",
    doneTitle: "已收到您的要求：Zyon Grand",
    doneHeading: "我们将停止联系您",
    done: "凡以收到我们电邮的地址提交的登记均适用。负责这些登记的销售同事会收到通知。如有同事此刻正在联系您，您可能还会收到一则信息。",
    erasure:
      "您也要求删除资料。如我们仍保存您的资料，会在 30 天内以电邮确认删除，您的电邮地址不会另作他用。",
    failedTitle: "未作任何更改：Zyon Grand",
    failedHeading: "未作任何更改",
    failed: "您的要求未能保存。请一分钟后再试，或回复我们的电邮。",
  },
} satisfies Record<Language, Record<string, string>>;
