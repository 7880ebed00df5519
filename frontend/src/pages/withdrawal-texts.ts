import type { Language } from "#i18n/language.ts";

/** Separate from the messages, which browsers load, because these pages have no script. */
export const withdrawalTexts = {
  en: {
    title: "Stop contacting me: Zyon Grand",
    heading: "Stop contacting you?",
    text: "We will no longer call, message or email you about Zyon Grand. This applies to all enquiries you have sent us.",
    withdraw: "Stop contacting me",
    erase: "Stop, and erase my details",
    incomplete:
      "This link is incomplete. Please open it from our email again, or reply to that email.",
    doneTitle: "We will not contact you: Zyon Grand",
    doneHeading: "We will not contact you again",
    done: "Our sales team has been told. If someone is writing to you at this moment, one more message may reach you.",
    erasure:
      "You also asked us to erase your details. We will confirm it by email within 30 days, and use your address for nothing else.",
    failedTitle: "Nothing was changed: Zyon Grand",
    failedHeading: "Nothing was changed",
    failed: "We could not store your request. Please try again in a minute, or reply to our email.",
  },
  zh: {
    title: "不要再联系我：Zyon Grand",
    heading: "要我们停止联系您吗？",
    text: "我们不会再就 Zyon Grand 致电、发信息或电邮给您。您提交过的所有登记均适用。",
    withdraw: "不要再联系我",
    erase: "不再联系，并删除我的资料",
    incomplete: "链接不完整。请从我们的电邮中重新打开，或直接回复该电邮。",
    doneTitle: "我们不会再联系您：Zyon Grand",
    doneHeading: "我们不会再联系您",
    done: "销售团队已收到通知。如有同事此刻正在联系您，您可能还会收到一则信息。",
    erasure: "您也要求删除资料。我们会在 30 天内以电邮确认，您的电邮地址不会另作他用。",
    failedTitle: "未作任何更改：Zyon Grand",
    failedHeading: "未作任何更改",
    failed: "您的要求未能保存。请一分钟后再试，或回复我们的电邮。",
  },
} satisfies Record<Language, Record<string, string>>;
