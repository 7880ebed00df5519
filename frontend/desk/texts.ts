import type { Language } from "#i18n/language.ts";
import type { Brochure, Channel, ClosingReason, Interest, Signal, State } from "./api.ts";

interface Greeting {
  name: string;
  /** The colleague who writes. */
  by: string;
  reference: string;
  /** Empty: none was asked about. */
  plan: string;
}

const en = {
  title: "Desk · Zyon Grand",
  opening: "Opening…",
  failed: "This page could not be loaded",
  crashed: "Something went wrong on this page. Your unsaved notes are kept.",
  list: "Leads",
  signOut: "Log out",
  signOutEverywhere: "End all my sessions",
  stillSignedIn: "You are still logged in.",
  loading: "Loading…",
  call: "Call",
  whatsapp: "WhatsApp",
  email: "Email",
  /** To the visitor, in their language. */
  greeting: ({ name, by, reference, plan }: Greeting) =>
    `Hello ${name}, this is ${by} from Zyon Grand. Thank you for registering (${reference}).${plan && ` You asked about ${plan}.`} When may I call you?`,
  noNumber: (typed: string) => `No number to dial. The visitor typed: ${typed}`,
  dials: (number: string, isCountryCodeAdded: boolean) =>
    `Dials ${number}${isCountryCodeAdded ? " (country code added)" : ""}`,
  question: "Question",
  interests: {
    showflat: "Show flat",
    brochure: "Brochure",
    purchase: "Purchase",
  } satisfies Record<Interest, string>,
  states: {
    new: "New",
    contacted: "Contacted",
    visit_booked: "Visit booked",
    closed: "Closed",
    invalid: "Not a real enquiry",
  } satisfies Record<State, string>,
  reasons: {
    bought: "Bought here",
    bought_elsewhere: "Bought elsewhere",
    not_interested: "Not interested",
    unreachable: "Could not be reached",
    other: "Other reason",
  } satisfies Record<ClosingReason, string>,
  languages: { en: "English", zh: "Chinese" } satisfies Record<Language, string>,
  signals: {
    too_fast: "Filled in very quickly",
    links: "Suspicious links",
    canary: "Test lead",
    trapped: "Hidden field filled in",
    no_session: "Sent without a session",
  } satisfies Record<Signal, string>,
  filledIn: (seconds: number) => `Filled in within ${seconds} s`,
  sameNumber: (references: string) => `Other people gave the same number: ${references}`,
  silent: "Do not contact. The visitor asked us not to call or write.",
  agreed: (channels: Channel[]) => {
    const [calls, messages] = [channels.includes("phone"), channels.includes("message")];
    if (calls && messages) {
      return "Agreed to calls, WhatsApp and SMS.";
    }
    const what = calls
      ? "Agreed to calls, not to WhatsApp or SMS"
      : messages
        ? "Agreed to WhatsApp and SMS, not to calls"
        : "Did not agree to calls, WhatsApp or SMS";
    return `${what}: check the Do Not Call registry first.`;
  },
  erasureRequested: "The visitor asked us to erase their details. We have 30 days to answer.",
  showAnyway: "Show phone number and email anyway",
  received: (when: string) => `Received ${when}`,
  whoseIs: (owner: string) => (owner === "" ? "Unassigned" : `Assigned to ${owner}`),
  nextStep: {
    new: (when: string) => `Try again ${when}`,
    contacted: (when: string) => `Follow up ${when}`,
    visit_booked: (when: string) => `Visit ${when}`,
  },
  toCalendar: "Add to calendar",
  whatHappened: "What happened?",
  called: "Talked",
  noAnswer: "No answer",
  visit: "Visit booked",
  take: "Assign to me",
  reopen: "Reopen",
  close: "Close",
  markInvalid: "Not a real enquiry",
  note: "Add a note",
  assign: "Assign",
  give: "Reassign",
  release: "Unassign",
  forbid: "Do not contact",
  allow: "Allow contact",
  reallyForbid: "Stop contacting this person? This applies to all of their enquiries.",
  reallyAllow: "Allow contact with this person again? This applies to all of their enquiries.",
  when: "Date and time",
  zone: (zone: string) => `Times are in ${zone}.`,
  nextStepWhen: "Next step",
  inTwoHours: "In 2 hours",
  tomorrow: "Tomorrow 10:00",
  inThreeDays: "In 3 days",
  nextMonday: "Next Monday",
  anotherTime: "Another time",
  notNeeded: "Not needed",
  whatSaid: "What did they say? (optional)",
  why: "Why are you closing this lead?",
  optionalNote: "Note (optional)",
  noteText: "Your note",
  givenMail: "The person you choose gets an email with this lead.",
  reallyNot: "Mark this as not a real enquiry?",
  yesInvalid: "Yes, not a real enquiry",
  stopContacting: "Stop contacting",
  save: "Save",
  cancel: "Cancel",
  saving: "Saving…",
  saved: "Saved.",
  undo: "Undo",
  nextDue: (name: string) => `Next due: ${name}`,
  history: "History",
  related: "Other enquiries from the same person",
  events: {
    submitted: "Visitor submitted the form",
    acknowledged: "Confirmation emailed to the visitor",
    brochure: "Brochure emailed to the visitor",
    repeated: "Visitor submitted the form again with different details",
    withdrawn: "Visitor asked not to be contacted",
    erasure_requested: "Visitor asked us to erase their details",
  },
  said: (by: string, what: string) => `${by}: ${what}`,
  forbidden: "do not contact",
  allowed: "contact allowed again",
  notSignedIn: "Log in once on this device",
  continueText: "Log in to update this lead and to see its history and all other leads.",
  continueAs: (name: string) => `Continue as ${name}`,
  confirm: (name: string) =>
    `Log in to update this lead and to see its history and all other leads. We email a login link to ${name}.`,
  mailTo: (name: string) => `Email ${name} a login link`,
  iAmAnother: "I am someone else on the team",
  address: "Your work email",
  mailMe: "Email me a login link",
  mailedTo: (mailbox: string) =>
    `Sent to ${mailbox} just now. Open the link on this device, which then stays logged in.`,
  mailed:
    "If this address belongs to someone on the team, a login link is on its way. Open it in this browser to log in.",
  expired: "This link has expired",
  expiredText: "Links are valid for seven days. We can email you a new one.",
  mailNew: "Email me a new link",
  signedOut: "Open a lead from its email",
  signedOutText: "The link in the email logs you in here. There is no password.",
  due: "Due now",
  untouched: "New and unassigned",
  mine: "Mine",
  later: "Later",
  search: "Name, email, phone or reference",
  found: "Search results",
  foundCount: (count: number, isAll: boolean) => `${count}${isAll ? "" : " or more"} found`,
  more: "Show more",
  none: {
    all: "There are no open leads.",
    search: "No results. Try another part of the name, email, phone number or reference.",
  },
  retry: "Try again",
  sendBrochure: "Send the brochure",
  brochure: {
    counts: {
      asked: "Requested",
      delivered: "Already sent",
      waiting: "Being sent",
      failed: "Could not be delivered",
      do_not_contact: "Do not contact",
    } satisfies Partial<Record<keyof Brochure, string>>,
    leftOut: "Left out (no consent, automated, cancelled or not a real enquiry)",
    nobodyLeft: "There is nobody left to send it to.",
    send: (people: number) => `Send to ${people === 1 ? "1 person" : `${people} people`}`,
    progress: (mailed: number, all: number, failed: number) =>
      `${mailed} of ${all} sent${failed === 0 ? "" : `, ${failed} could not be delivered`}`,
    done: "Done.",
    close: "Close",
  },
  errors: {
    unreachable: "You are offline, or the network is slow.",
    unavailable: "The desk is unavailable right now.",
    not_saved:
      "This may not have been saved. Your text is still here. Check the history below, then try again.",
    changed_meanwhile: (by: string) =>
      `${by === "" ? "Someone" : by} changed this lead in the meantime, so your change was not saved. Your text is still here. Check the history below, then save again.`,
    seconds: (seconds: number) => `Too many requests. Try again in ${seconds} seconds.`,
    minutes: (minutes: number) => `Too many requests. Try again in ${minutes} minutes.`,
    invalid:
      "This cannot be saved. The time must be in the future, and a note can have at most 2,000 characters.",
    forbidden: "You do not have permission to do this.",
    no_such_lead: "This lead does not exist. It may have been erased.",
    invalid_link: "This link is not valid. Open it from the email again, or ask for a new one.",
  },
};

export type Texts = typeof en;

const zh: Texts = {
  title: "销售工作台 · Zyon Grand",
  opening: "正在打开……",
  failed: "页面打开失败",
  crashed: "页面出错了。您未保存的备注仍会保留。",
  list: "客户",
  signOut: "登出",
  signOutEverywhere: "退出我的所有设备",
  stillSignedIn: "您仍处于登录状态。",
  loading: "正在载入……",
  call: "致电",
  whatsapp: "WhatsApp",
  email: "发电邮",
  greeting: ({ name, by, reference, plan }) =>
    `${name}，您好！我是 Zyon Grand 的 ${by}，感谢您的登记（${reference}）。${plan && `您想了解${plan}，`}请问何时方便与您通话？`,
  noNumber: (typed) => `没有可拨打的号码。客户填写的是：${typed}`,
  dials: (number, isCountryCodeAdded) =>
    `实际拨打 ${number}${isCountryCodeAdded ? "（已补上国际区号）" : ""}`,
  question: "客户留言",
  interests: { showflat: "参观示范单位", brochure: "索取宣传册", purchase: "有意购买" },
  states: {
    new: "未联系",
    contacted: "已联系",
    visit_booked: "已约参观",
    closed: "已结束",
    invalid: "无效登记",
  },
  reasons: {
    bought: "已在本项目购买",
    bought_elsewhere: "已购买其他项目",
    not_interested: "无意购买",
    unreachable: "一直联系不上",
    other: "其他原因",
  },
  languages: { en: "英文", zh: "中文" },
  signals: {
    too_fast: "很快填完",
    links: "有可疑链接",
    canary: "系统测试登记",
    trapped: "填写了隐藏栏位",
    no_session: "提交时没有会话",
  },
  filledIn: (seconds) => `${seconds} 秒内填完`,
  sameNumber: (references) => `其他客户也留下相同号码：${references}`,
  silent: "请勿联系：客户要求我们不再致电或发送信息。",
  agreed: (channels) => {
    const [calls, messages] = [channels.includes("phone"), channels.includes("message")];
    if (calls && messages) {
      return "同意电话、WhatsApp 与短信联系。";
    }
    const what = calls
      ? "同意电话联系，未同意 WhatsApp 与短信"
      : messages
        ? "同意 WhatsApp 与短信联系，未同意电话"
        : "未同意电话、WhatsApp 或短信联系";
    return `${what}：请先查询谢绝来电登记处。`;
  },
  erasureRequested: "客户要求删除其资料，我们须在 30 天内答复。",
  showAnyway: "仍然显示电话与电邮",
  received: (when) => `登记于 ${when}`,
  whoseIs: (owner) => (owner === "" ? "未分配" : `跟进人：${owner}`),
  nextStep: {
    new: (when) => `${when} 再次致电`,
    contacted: (when) => `${when} 再次联系`,
    visit_booked: (when) => `${when} 参观`,
  },
  toCalendar: "添加到日历",
  whatHappened: "跟进结果",
  called: "已通话",
  noAnswer: "无人接听",
  visit: "已约参观",
  take: "分配给我",
  reopen: "重新跟进",
  close: "结束跟进",
  markInvalid: "无效登记",
  note: "添加备注",
  assign: "分配",
  give: "重新分配",
  release: "取消分配",
  forbid: "请勿联系",
  allow: "恢复联系",
  reallyForbid: "确定不再联系这位客户？客户的所有登记都会标为“请勿联系”。",
  reallyAllow: "确定恢复联系这位客户？客户的所有登记都会取消“请勿联系”。",
  when: "日期和时间",
  zone: (zone) => `以${zone}为准。`,
  nextStepWhen: "下一步",
  inTwoHours: "两小时后",
  tomorrow: "明天 10:00",
  inThreeDays: "三天后",
  nextMonday: "下周一",
  anotherTime: "其他时间",
  notNeeded: "不需要",
  whatSaid: "客户怎么说？（选填）",
  why: "结束原因",
  optionalNote: "备注（选填）",
  noteText: "备注内容",
  givenMail: "系统会把客户资料电邮给所选的同事。",
  reallyNot: "确定标为无效登记？",
  yesInvalid: "是，标为无效",
  stopContacting: "不再联系",
  save: "保存",
  cancel: "取消",
  saving: "正在保存……",
  saved: "已保存。",
  undo: "撤销",
  nextDue: (name) => `下一位：${name}`,
  history: "跟进记录",
  related: "同一客户的其他登记",
  events: {
    submitted: "客户提交了表格",
    acknowledged: "已向客户发送确认电邮",
    brochure: "已向客户发送电子宣传册",
    repeated: "客户以不同内容再次提交",
    withdrawn: "客户要求不再联系",
    erasure_requested: "客户要求删除其资料",
  },
  said: (by, what) => `${by}：${what}`,
  forbidden: "请勿联系",
  allowed: "恢复联系",
  notSignedIn: "在此设备登录一次",
  continueText: "登录后可更新跟进情况，查看跟进记录和全部客户。",
  continueAs: (name) => `以 ${name} 的身份继续`,
  confirm: (name) => `登录后可更新跟进情况，查看跟进记录和全部客户。登录链接将电邮给 ${name}。`,
  mailTo: (name) => `把登录链接电邮给 ${name}`,
  iAmAnother: "我是其他同事",
  address: "您的工作电邮",
  mailMe: "把登录链接电邮给我",
  mailedTo: (mailbox) => `登录链接已发送至 ${mailbox}，请在本机打开，之后会保持登录。`,
  mailed: "如果这是团队同事的电邮，登录链接已发出。请在此浏览器打开链接登录。",
  expired: "链接已过期",
  expiredText: "链接有效期为七天，我们可以把新链接电邮给您。",
  mailNew: "把新链接电邮给我",
  signedOut: "请从电邮中打开客户资料",
  signedOutText: "点击电邮中的链接即可登录，无需密码。",
  due: "现在跟进",
  untouched: "新客户，未分配",
  mine: "我的客户",
  later: "其他",
  search: "按姓名、电邮、电话或编号查找",
  found: "查找结果",
  foundCount: (count, isAll) => `找到 ${count} 位${isAll ? "" : "以上"}`,
  more: "显示更多",
  none: {
    all: "没有跟进中的客户。",
    search: "没有找到，请换个关键词再试。",
  },
  retry: "重试",
  sendBrochure: "发送电子宣传册",
  brochure: {
    counts: {
      asked: "已索取",
      delivered: "已发送",
      waiting: "正在发送",
      failed: "无法送达",
      do_not_contact: "请勿联系",
    },
    leftOut: "不发送（未同意、疑似机器人、已取消或无效登记）",
    nobodyLeft: "没有待发送的客户。",
    send: (people) => `发送给 ${people} 位客户`,
    progress: (mailed, all, failed) =>
      `已发送 ${mailed} 封，共 ${all} 封${failed === 0 ? "" : `；${failed} 封无法送达`}`,
    done: "发送完毕。",
    close: "关闭",
  },
  errors: {
    unreachable: "您已离线，或网络太慢。",
    unavailable: "工作台暂时无法使用。",
    not_saved: "可能未保存成功。您填写的内容仍会保留，请先查看下方的跟进记录，再重试。",
    changed_meanwhile: (by) =>
      `${by === "" ? "有同事" : `${by} `}刚刚更改了这位客户的跟进情况，您的更改未保存。您填写的内容仍会保留，请先查看下方的跟进记录，再保存。`,
    seconds: (seconds) => `操作过于频繁，请在 ${seconds} 秒后再试。`,
    minutes: (minutes) => `操作过于频繁，请在 ${minutes} 分钟后再试。`,
    invalid: "无法保存：时间须晚于现在，备注最多 2000 字。",
    forbidden: "您没有权限执行此操作。",
    no_such_lead: "找不到这位客户，资料可能已被删除。",
    invalid_link: "链接无效。请重新打开电邮中的链接，或索取新链接。",
  },
};

export const deskTexts: Record<Language, Texts> = { en, zh };
