import type { Language } from "#shared/i18n/language.ts";
import type { Answer, EmailKind, EmailState } from "./address.ts";
import type {
  Brochure,
  Channel,
  ClosingReason,
  ConsentMeans,
  Interest,
  LinkFailure,
  Signal,
  State,
  VisitTime,
} from "./api.ts";

interface Greeting {
  name: string;
  /** The colleague who writes. */
  by: string;
  reference: string;
  /** Empty: none was asked about. */
  plan: string;
}

function enChannels(channels: Channel[]): string {
  const names = { phone: "calls", message: "text messages" };
  return channels.map((channel) => names[channel]).join(" and ");
}

function zhChannels(channels: Channel[]): string {
  const names = { phone: "来电", message: "短信" };
  return channels.map((channel) => names[channel]).join("与");
}

const en = {
  title: "Desk · Zyon Grand",
  opening: "Opening…",
  failed: "This page could not be loaded",
  leadMissing: "Lead not found",
  toList: "Leads",
  crashed: "Something went wrong on this page. Your unsaved notes are kept.",
  list: "Leads",
  logOut: "Log out",
  logOutEverywhere: "End all my sessions",
  stillLoggedIn: "You are still logged in.",
  loading: "Loading…",
  call: "Call",
  whatsapp: "WhatsApp",
  email: "Email",
  /** To the visitor, in their language. */
  greeting: ({ name, by, reference, plan }: Greeting) =>
    `Hello ${name}, this is ${by} from Zyon Grand. Thank you for your interest (${reference}).${plan && ` You asked about ${plan}.`} When may I call you?`,
  noNumber: (typed: string) => `No number to dial: ${typed}`,
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
  area: (squareFeet: string) => `${squareFeet} sq ft`,
  home: (wish: string) => `Home: ${wish}`,
  canVisit: (times: string[]) => `Can visit: ${times.join(", ")}`,
  signals: {
    too_fast: "Filled in very quickly",
    links: "Suspicious links",
    canary: "Test lead",
    trapped: "Hidden field filled in",
    no_session: "Sent without a session",
  } satisfies Record<Signal, string>,
  filledIn: (seconds: number) => `Filled in within ${seconds} s`,
  firstContact: (time: string) => `First contact after ${time}`,
  /** Before a list of references. */
  sameNumber: "Other people gave the same number: ",
  listSeparator: ", ",
  numberWithdrawn: (when: string) =>
    `Somebody with this number asked us not to contact them (${when}). Ask by email before you call or message.`,
  withdrewConsent: (when: string) => `The visitor withdrew their consent: ${when}.`,
  enquiredAgain: (when: string, channels: Channel[]) =>
    `The visitor enquired again and agreed to ${enChannels(channels)}: ${when}. Confirm it by email before you allow contact.`,
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
    return `${what}.`;
  },
  dnc: {
    missing: "Check the Do Not Call registry first.",
    expired: (when: string) =>
      `The Do Not Call registry was last checked ${when}. A result is valid for 21 days: check again first.`,
    clear: (when: string) =>
      `The Do Not Call registry does not list this number (checked ${when}).`,
    listed: (channels: Channel[], when: string) =>
      `The Do Not Call registry lists this number for ${enChannels(channels)} (checked ${when}). Do not contact the visitor this way.`,
    record: "Record a Do Not Call check",
    hint: "Look up the number in the Do Not Call registry (dnc.gov.sg), then record the result. It is valid for 21 days.",
    day: "Looked up on",
    listedFor: {
      phone: "Listed for phone calls",
      message: "Listed for text messages",
    } satisfies Record<Channel, string>,
    checked: (listed: Channel[]) =>
      `checked the Do Not Call registry: ${listed.length === 0 ? "not listed" : `listed for ${enChannels(listed)}`}`,
  },
  erasureRequested: "The visitor asked us to erase their details. We have 30 days to answer.",
  wasCorrected: "A colleague has corrected these details since. Log in to see the current ones.",
  showAnyway: "Show phone number and email anyway",
  received: (when: string) => `Received ${when}`,
  whoseIs: (owner: string) => (owner === "" ? "Unassigned" : `Assigned to ${owner}`),
  yours: "Assigned to you",
  contactedByYou: "Contacted by you",
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
  correct: "Correct name, phone or email",
  correctEmail:
    "Emails to the visitor that were not delivered go to the corrected address. Withdrawal links in emails to the old address no longer apply to this lead.",
  assign: "Assign",
  give: "Reassign",
  release: "Unassign",
  forbid: "Do not contact",
  allow: "Allow contact",
  reallyForbid: "Stop contacting this person? This applies to all of their enquiries.",
  reallyAllow: "Allow contact again? This applies to all enquiries with this email address.",
  reallyAllowWithdrawn: (when: string) =>
    `The visitor withdrew their consent (${when}). Allow contact only if they have agreed again since. This applies to all enquiries with this email address.`,
  agreedAgain: "When and how did the visitor agree again?",
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
  nowYours: "This lead is now yours.",
  undo: "Undo",
  nextDue: (name: string) => `Next due: ${name}`,
  history: "History",
  related: "Other enquiries from the same person",
  /** The policy's version is a date. */
  consented: (channels: Channel[], wording: string, policy: string) =>
    `Visitor agreed to ${enChannels(channels)} after the form: "${wording}" (privacy policy of ${policy})`,
  events: {
    submitted: "Visitor submitted the form",
    visitor: "Confirmation emailed to the visitor",
    brochure: "Brochure emailed to the visitor",
    conflicting: "Visitor submitted the form again with different details",
    withdrawn: "Visitor asked not to be contacted",
    erasure_requested: "Visitor asked us to erase their details",
  },
  said: (by: string, what: string) => `${by}: ${what}`,
  entered: "entered this lead by hand",
  enteredWith: (means: string) => `entered this lead by hand (consent: ${means.toLowerCase()})`,
  corrected: {
    name_corrected: (from: string, to: string) => `corrected the name (${from} → ${to})`,
    number_corrected: (from: string, to: string) => `corrected the phone number (${from} → ${to})`,
    email_corrected: (from: string, to: string) => `corrected the email address (${from} → ${to})`,
  },
  forbidden: "do not contact",
  allowed: "contact allowed again",
  notLoggedIn: "Log in once on this device",
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
  unsent: {
    recent: (mailbox: string, _: string) =>
      `No new email: the last one to ${mailbox} is less than a minute old. Its link works in one browser. If you have used it, ask again in a minute.`,
    limit: (mailbox: string, until: string) =>
      `No email was sent: ten were sent to ${mailbox} within an hour. The latest login link still works unless it has been used. You can ask for another after ${until}.`,
  },
  mailed:
    "If this address belongs to someone on the team, a login link is on its way. Open it in this browser to log in.",
  /** Heading and text, by the reason why a link opens no lead. */
  unopened: {
    expired_link: [
      "This link has expired",
      "Links are valid for seven days. We can email you a new one.",
    ],
    invalid_link: [
      "This link is not valid",
      "It may have been copied only in part. Open it from the email again.",
    ],
    no_such_lead: [
      "Lead not found",
      "The lead of this link does not exist. It may have been erased.",
    ],
  } satisfies Record<LinkFailure, [string, string]>,
  mailNew: "Email me a new link",
  notYou: (person?: string) =>
    `${person === undefined ? "Not your link?" : `Not ${person}?`} Open a lead from your own email.`,
  uselessLink:
    "No email was sent: the last link in this browser is too old, or its lead was erased. Open a lead from a newer email.",
  logIn: "Log in",
  logInText:
    "You are not logged in here, or your session has ended. A link in an email logs you in. There is no password.",
  loggedOut: "Open a lead from its email",
  loggedOutText: "The link in the email logs you in here. There is no password.",
  toErase: "Asked to be erased",
  erasureAge: (age: string) => `asked ${age} ago, answer within 30 days`,
  due: "Due now",
  untouched: "New and unassigned",
  mine: "Mine",
  later: "Later",
  search: "Name, email, phone or reference",
  found: "Search results",
  foundCount: (count: number, isAll: boolean) => `${count}${isAll ? "" : " or more"} found`,
  more: "Show more",
  moreOf: (section: string) => `Show more: ${section}`,
  none: {
    all: "There are no open leads.",
    filter: "No leads match these filters.",
    search: "No results. Try another part of the name, email, phone number or reference.",
  },
  columns: {
    name: "Name",
    wish: "Plan or interest",
    source: "Source",
    owner: "Owner",
    state: "State",
    nextStep: "Next step",
    age: "Age",
  },
  notContacted: "without contact",
  finished: "Finished",
  report: "Report",
  visitTimes: {
    "weekday-mornings": "weekday mornings",
    "weekday-afternoons": "weekday afternoons",
    "weekday-evenings": "weekday evenings",
    "weekend-mornings": "weekend mornings",
    "weekend-afternoons": "weekend afternoons",
    "weekend-evenings": "weekend evenings",
  } satisfies Record<VisitTime, string>,
  filters: {
    legend: "Filters",
    add: "Filter by plan, source or campaign",
    campaign: "Campaign",
    source: "Source",
    referrer: "Referring site",
    plan: "Plan",
    interest: "Interest",
    visitTime: "Can visit",
    state: "State",
    reason: "Reason",
    owner: "Owner",
    contacted: "Ever contacted",
    visitBooked: "Visit ever booked",
    answers: { yes: "yes", no: "no" } satisfies Record<Answer, string>,
    visitorEmail: "Email to the visitor",
    emailKinds: { confirmation: "confirmation", brochure: "brochure" } satisfies Record<
      EmailKind,
      string
    >,
    emailStates: {
      delivered: "delivered",
      waiting: "waiting",
      failed: "failed",
      cancelled: "cancelled",
    } satisfies Record<EmailState, string>,
    emailed: "Email since",
    received: "Received",
    any: "Any",
    none: "None",
    chip: (label: string, value: string) => `${label}: ${value}`,
    remove: (chip: string) => `Remove the filter "${chip}"`,
    clear: "Remove all filters",
  },
  newLead: "New lead",
  visitor: "Visitor",
  fields: {
    name: "Name",
    mobile: "Phone number",
    email: "Email address",
    questions: "Question (optional)",
    interests: "Interested in",
    language: "Language",
  },
  consent: "Consent",
  privacyAccepted:
    "The visitor has accepted the privacy policy and agrees to be contacted about Zyon Grand",
  privacyPolicy: "Show the privacy policy",
  mayContact: {
    phone: "Agrees to phone calls",
    message: "Agrees to WhatsApp and SMS",
  } satisfies Record<Channel, string>,
  consentMeans: {
    legend: "How did the visitor agree?",
    in_person: "In person",
    signed_form: "Signed form",
    phone_call: "Phone call",
    message: "Email or message",
  } satisfies Record<ConsentMeans | "legend", string>,
  confirmByEmail: "Email the visitor a confirmation, with a link to withdraw consent",
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
    test: "Send me a test first",
    testFirst: "Send yourself a test and read it. Then you can send the brochure.",
    tested: "The test is on its way to your mailbox.",
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
      "This cannot be saved. Check what you typed: a time must be in the future, a phone number has 8 to 19 characters, an email address is complete, and a note has at most 2,000 characters.",
    consent_note_missing:
      "The visitor withdrew their consent. Write when and how they agreed again, then save.",
    forbidden: "You do not have permission to do this.",
    no_such_lead: "This lead does not exist. It may have been erased.",
    ambiguous_reference: "Several leads have this reference. Search for it in the list.",
    invalid_link: "This link is not valid. Open it from the email again, or ask for a new one.",
  },
};

export type Texts = typeof en;

const zh: Texts = {
  title: "销售工作台 · Zyon Grand",
  opening: "正在打开……",
  failed: "页面打开失败",
  leadMissing: "找不到客户资料",
  toList: "返回客户列表",
  crashed: "页面出错了。您未保存的备注仍会保留。",
  list: "客户",
  logOut: "登出",
  logOutEverywhere: "退出我的所有设备",
  stillLoggedIn: "您仍处于登录状态。",
  loading: "正在载入……",
  call: "致电",
  whatsapp: "WhatsApp",
  email: "发电邮",
  greeting: ({ name, by, reference, plan }) =>
    `${name}，您好！我是 Zyon Grand 的 ${by}，感谢您的关注（${reference}）。${plan && `您想了解${plan}，`}请问何时方便与您通话？`,
  noNumber: (typed) => `没有可拨打的号码：${typed}`,
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
  area: (squareFeet) => `${squareFeet} 平方英尺`,
  home: (wish) => `置业需求：${wish}`,
  canVisit: (times) => `可参观：${times.join("、")}`,
  signals: {
    too_fast: "很快填完",
    links: "有可疑链接",
    canary: "系统测试登记",
    trapped: "填写了隐藏栏位",
    no_session: "提交时没有会话",
  },
  filledIn: (seconds) => `${seconds} 秒内填完`,
  firstContact: (time) => `${time}后首次联系`,
  sameNumber: "其他客户也留下相同号码：",
  listSeparator: "、",
  numberWithdrawn: (when) =>
    `有人以此号码登记后要求不再联系（${when}）。致电或发信息前，请先以电邮询问客户。`,
  withdrewConsent: (when) => `客户已撤回同意：${when}。`,
  enquiredAgain: (when, channels) =>
    `客户再次登记，同意以${zhChannels(channels)}联系：${when}。请先以电邮确认，再允许联系。`,
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
    return `${what}。`;
  },
  dnc: {
    missing: "请先查询谢绝来电登记处。",
    expired: (when) => `上次查询谢绝来电登记处是${when}，结果只在 21 天内有效，请重新查询。`,
    clear: (when) => `此号码未列入谢绝来电登记处（${when}查询）。`,
    listed: (channels, when) =>
      `此号码已登记谢绝${zhChannels(channels)}（${when}查询），请勿以此方式联系。`,
    record: "记录谢绝来电查询结果",
    hint: "请先到谢绝来电登记处（dnc.gov.sg）查询此号码，再记录结果。结果在 21 天内有效。",
    day: "查询日期",
    listedFor: { phone: "已登记谢绝来电", message: "已登记谢绝短信" },
    checked: (listed) =>
      `已查询谢绝来电登记处：${listed.length === 0 ? "未登记" : `已登记谢绝${zhChannels(listed)}`}`,
  },
  erasureRequested: "客户要求删除其资料，我们须在 30 天内答复。",
  wasCorrected: "同事之后更正过客户资料，登录后可查看最新内容。",
  showAnyway: "仍然显示电话与电邮",
  received: (when) => `登记于 ${when}`,
  whoseIs: (owner) => (owner === "" ? "未分配" : `跟进人：${owner}`),
  yours: "由您跟进",
  contactedByYou: "您已联系",
  nextStep: {
    new: (when) => `${when} 再次致电`,
    contacted: (when) => `${when} 跟进`,
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
  correct: "更正姓名、电话或电邮",
  correctEmail: "尚未送达的客户电邮会改发到更正后的地址。旧地址电邮中的退订链接不再影响此客户。",
  assign: "分配",
  give: "重新分配",
  release: "取消分配",
  forbid: "请勿联系",
  allow: "恢复联系",
  reallyForbid: "确定不再联系这位客户？客户的所有登记都会标为“请勿联系”。",
  reallyAllow: "确定恢复联系这位客户？此电邮地址的所有登记都会取消“请勿联系”。",
  reallyAllowWithdrawn: (when) =>
    `客户已撤回同意（${when}）。只有客户其后再次同意，才可恢复联系。此电邮地址的所有登记都会取消“请勿联系”。`,
  agreedAgain: "客户何时、以何种方式再次同意？",
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
  nowYours: "这位客户现由您跟进。",
  undo: "撤销",
  nextDue: (name) => `下一位：${name}`,
  history: "跟进记录",
  related: "同一客户的其他登记",
  consented: (channels, wording, policy) =>
    `客户提交表格后同意${zhChannels(channels)}：“${wording}”（${policy} 版隐私政策）`,
  events: {
    submitted: "客户提交了表格",
    visitor: "已向客户发送确认电邮",
    brochure: "已向客户发送电子宣传册",
    conflicting: "客户以不同内容再次提交",
    withdrawn: "客户要求不再联系",
    erasure_requested: "客户要求删除其资料",
  },
  said: (by, what) => `${by}：${what}`,
  entered: "手动录入客户资料",
  enteredWith: (means) => `手动录入客户资料（同意方式：${means}）`,
  corrected: {
    name_corrected: (from, to) => `更正姓名（${from} → ${to}）`,
    number_corrected: (from, to) => `更正电话（${from} → ${to}）`,
    email_corrected: (from, to) => `更正电邮（${from} → ${to}）`,
  },
  forbidden: "请勿联系",
  allowed: "恢复联系",
  notLoggedIn: "在此设备登录一次",
  continueText: "登录后可更新跟进情况，查看跟进记录和全部客户。",
  continueAs: (name) => `以 ${name} 的身份继续`,
  confirm: (name) => `登录后可更新跟进情况，查看跟进记录和全部客户。登录链接将电邮给 ${name}。`,
  mailTo: (name) => `把登录链接电邮给 ${name}`,
  iAmAnother: "我是其他同事",
  address: "您的工作电邮",
  mailMe: "把登录链接电邮给我",
  mailedTo: (mailbox) => `登录链接已发送至 ${mailbox}，请在本机打开，之后会保持登录。`,
  unsent: {
    recent: (mailbox) =>
      `未发送新邮件：不到一分钟前已发送至 ${mailbox}。每个链接只能在一个浏览器中登录，如已使用，请一分钟后再试。`,
    limit: (mailbox, until) =>
      `未发送邮件：${mailbox} 一小时内已收到十封登录邮件。最近一封如未使用，链接仍然有效；${until} 之后可再次索取。`,
  },
  mailed: "如果这是团队同事的电邮，登录链接已发出。请在此浏览器打开链接登录。",
  unopened: {
    expired_link: ["链接已过期", "链接有效期为七天，我们可以把新链接电邮给您。"],
    invalid_link: ["链接无效", "链接可能没有复制完整，请重新打开电邮中的链接。"],
    no_such_lead: ["找不到客户资料", "这个链接的客户资料不存在，可能已被删除。"],
  },
  mailNew: "把新链接电邮给我",
  notYou: (person) =>
    `${person === undefined ? "不是您的链接？" : `不是 ${person}？`}请从您自己的电邮打开客户资料。`,
  uselessLink:
    "未发送邮件：此浏览器上次的链接过期太久，或客户资料已被删除。请从较新的电邮打开客户资料。",
  logIn: "登录",
  logInText: "您尚未登录，或登录已过期。点击电邮中的链接即可登录，无需密码。",
  loggedOut: "请从电邮中打开客户资料",
  loggedOutText: "点击电邮中的链接即可登录，无需密码。",
  toErase: "要求删除资料",
  erasureAge: (age: string) => `${age}前要求删除，须在 30 天内答复`,
  due: "现在跟进",
  untouched: "新客户，未分配",
  mine: "我的客户",
  later: "其他",
  search: "按姓名、电邮、电话或编号查找",
  found: "查找结果",
  foundCount: (count, isAll) => `找到 ${count} 位${isAll ? "" : "以上"}`,
  more: "显示更多",
  moreOf: (section) => `显示更多：${section}`,
  none: {
    all: "没有跟进中的客户。",
    filter: "没有符合这些条件的客户。",
    search: "没有找到，请换个关键词再试。",
  },
  columns: {
    name: "姓名",
    wish: "户型或意向",
    source: "来源",
    owner: "跟进人",
    state: "状态",
    nextStep: "下一步",
    age: "登记至今",
  },
  notContacted: "尚未联系",
  finished: "已结束",
  report: "报告",
  visitTimes: {
    "weekday-mornings": "平日上午",
    "weekday-afternoons": "平日下午",
    "weekday-evenings": "平日傍晚",
    "weekend-mornings": "周末上午",
    "weekend-afternoons": "周末下午",
    "weekend-evenings": "周末傍晚",
  },
  filters: {
    legend: "筛选条件",
    add: "按户型、来源或推广活动筛选",
    campaign: "推广活动",
    source: "来源",
    referrer: "引荐网站",
    plan: "户型",
    interest: "意向",
    visitTime: "可参观时间",
    state: "状态",
    reason: "结束原因",
    owner: "跟进人",
    contacted: "曾联系",
    visitBooked: "曾预约参观",
    answers: { yes: "是", no: "否" },
    visitorEmail: "客户电邮",
    emailKinds: { confirmation: "确认电邮", brochure: "电子宣传册" },
    emailStates: { delivered: "已送达", waiting: "等待中", failed: "失败", cancelled: "已取消" },
    emailed: "电邮日期",
    received: "登记日期",
    any: "全部",
    none: "无",
    chip: (label, value) => `${label}：${value}`,
    remove: (chip) => `移除筛选条件“${chip}”`,
    clear: "清除所有筛选条件",
  },
  newLead: "新增客户",
  visitor: "客户资料",
  fields: {
    name: "姓名",
    mobile: "电话号码",
    email: "电邮",
    questions: "客户留言（选填）",
    interests: "意向",
    language: "沟通语言",
  },
  consent: "客户同意",
  privacyAccepted: "客户已接受隐私政策，同意我们就 Zyon Grand 与其联系",
  privacyPolicy: "查看隐私政策",
  mayContact: { phone: "同意电话联系", message: "同意 WhatsApp 与短信联系" },
  consentMeans: {
    legend: "客户以何种方式同意？",
    in_person: "当面同意",
    signed_form: "签署表格",
    phone_call: "电话中同意",
    message: "电邮或信息",
  },
  confirmByEmail: "电邮客户一封确认信，内附撤回同意的链接",
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
    test: "先发一封给我",
    testFirst: "请先发一封给自己，核对无误后再发送给客户。",
    tested: "测试电邮正发往您的邮箱。",
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
    invalid:
      "无法保存，请检查所填内容：时间须晚于现在，电话号码为 8 至 19 个字符，电邮地址须完整，备注最多 2000 字。",
    consent_note_missing: "客户已撤回同意。请写明客户何时、以何种方式再次同意，再保存。",
    forbidden: "您没有权限执行此操作。",
    no_such_lead: "找不到这位客户，资料可能已被删除。",
    ambiguous_reference: "有多位客户使用此编号，请在客户列表中查找。",
    invalid_link: "链接无效。请重新打开电邮中的链接，或索取新链接。",
  },
};

export const deskTexts: Record<Language, Texts> = { en, zh };
