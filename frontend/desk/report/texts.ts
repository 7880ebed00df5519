import type { Period } from "#desk/address.ts";
import type { Language } from "#shared/i18n/language.ts";
import type { Duration, Part } from "./figures.ts";
import type { Deliveries } from "./report.ts";

/** Such as `1 lead` and `2,000 leads`. */
function counted(count: number, one: string, more = `${one}s`): string {
  return `${count.toLocaleString("en-SG")} ${count === 1 ? one : more}`;
}

const en = {
  /** Between sentences. */
  space: " ",
  switch: "Period",
  days: (days: Period) => `${days} days`,
  print: "Print",
  computed: (when: string, zone: string) => `Computed ${when}, ${zone}. Today is not over yet.`,
  none: (days: number) =>
    `No leads in these ${days} days. The first one appears here as soon as it is stored.`,
  leads: (count: number) => counted(count, "lead"),
  percent: (percent: number | null) => (percent === null ? "–" : `${percent}%`),
  duration: ({ days, hours, minutes }: Duration) => {
    if (days > 0) {
      return `${days} d${hours > 0 ? ` ${hours} h` : ""}`;
    }
    if (hours > 0) {
      return `${hours} h${minutes > 0 ? ` ${minutes} min` : ""}`;
    }
    return minutes === 0 ? "under 1 min" : `${minutes} min`;
  },
  headline: {
    heading: "At a glance",
    thisWeek: "Leads this week",
    weekBefore: (soFar: number, all: number) =>
      `${soFar.toLocaleString("en-SG")} by this time last week, ${all.toLocaleString("en-SG")} in the whole week`,
    waiting: "Waiting for a first contact",
    waitingNow: (people: number) => `${people === 1 ? "person" : "people"}, right now`,
    median: "Median time to first contact",
    contacted: (leads: number) => `of ${counted(leads, "contacted lead")}`,
    calls: "Agreed to calls",
    agreed: (agreed: number, all: number) =>
      `${agreed.toLocaleString("en-SG")} of ${counted(all, "lead")}`,
  },
  daily: {
    heading: "Leads a day",
    chart: (days: number) =>
      `Columns of ${days} days. The arrow keys move between the days. The table below has the same numbers.`,
    parts: {
      purchase: "Purchase",
      showflat: "Show flat",
      brochure: "Brochure",
      erased: "Erased",
    } satisfies Record<Part, string>,
    rule: "A lead with several interests counts as Purchase before Show flat, and as Show flat before Brochure.",
    today: "Today",
    unfinished: "today, not over yet",
    leftOut: (spam: number, canaries: number) =>
      `Not counted: ${spam.toLocaleString("en-SG")} suspected spam, ${counted(canaries, "test lead")} of the system.`,
    erased: (erased: number) =>
      `${counted(erased, "erased lead")} ${erased === 1 ? "counts" : "count"} here only. Erasure keeps nothing but the time of a lead.`,
    table: "Show as a table",
    columns: { day: "Day", all: "All", spam: "Spam", canaries: "Tests" },
  },
  sources: {
    heading: "Where they come from",
    campaigns: "Campaign",
    sources: "Source",
    referrers: "Referring site",
    none: { campaigns: "No campaign", sources: "No source", referrers: "None or unknown" },
    leads: "Leads",
    visits: "Visits",
    legend: "Visits and the dark part of a bar: leads that booked a visit.",
    byHand: (count: number) =>
      `${counted(count, "lead")} entered by hand ${count === 1 ? "has" : "have"} no campaign, source or referring site.`,
  },
  all: (count: number) => `Show all ${count}`,
  wishes: {
    heading: "What they want",
    plans: "Plan",
    noPlan: "No plan",
    bedrooms: "Bedrooms",
    rooms: (bedrooms: number) => (bedrooms === 5 ? "Penthouse" : `${bedrooms}`),
    interests: "Interest",
    several: "A lead counts for each of its interests and times.",
    languages: "Language",
    visitTimes: "Can visit",
    week: { weekday: "Weekdays", weekend: "Weekends" },
    dayParts: { mornings: "Mornings", afternoons: "Afternoons", evenings: "Evenings" },
  },
  outcome: {
    heading: "What became of them",
    reached: "How far they came",
    allLeads: "All leads",
    contacted: "Ever contacted",
    visit: "Visit ever booked",
    share: "Of all",
    states: "Where they are now",
    reasons: "Why they were closed",
    noReason: "No reason given",
    owners: "By owner",
    open: "Open",
    followUps: "Follow-ups",
    overdue: (count: number) => `(${count.toLocaleString("en-SG")} overdue)`,
    median: "Median to contact",
  },
  deliveries: {
    heading: "Emails to visitors",
    kinds: { confirmation: "Confirmation", brochure: "Brochure" } satisfies Record<
      Deliveries["kind"],
      string
    >,
    states: {
      delivered: "Delivered",
      waiting: "Waiting",
      failed: "Failed",
      cancelled: "Cancelled",
    },
    reasons: {
      "": "not tried yet",
      smtp: "mail server unavailable",
      "mailbox-full": "mailbox full",
      "smtp-rejected": "address refused",
      address: "invalid address",
      brochure: "brochure not published yet",
      busy: "waiting for its turn",
    } as Partial<Record<string, string>>,
    why: (kind: string, state: string, reasons: string) =>
      `${kind}, ${state.toLowerCase()}: ${reasons}`,
    reason: (count: number, reason: string) => `${count.toLocaleString("en-SG")} ${reason}`,
    separator: ", ",
    none: "No emails in this period.",
  },
};

export type ReportTexts = typeof en;

const zh: ReportTexts = {
  space: "",
  switch: "统计时段",
  days: (days) => `${days} 天`,
  print: "打印",
  computed: (when, zone) => `统计于${when}（${zone}）。今天尚未结束。`,
  none: (days) => `这 ${days} 天没有登记。有客户登记后，这里会立即显示。`,
  leads: (count) => `${count.toLocaleString("zh-SG")} 位`,
  percent: (percent) => (percent === null ? "–" : `${percent}%`),
  duration: ({ days, hours, minutes }) => {
    if (days > 0) {
      return `${days} 天${hours > 0 ? ` ${hours} 小时` : ""}`;
    }
    if (hours > 0) {
      return `${hours} 小时${minutes > 0 ? ` ${minutes} 分` : ""}`;
    }
    return minutes === 0 ? "不到 1 分钟" : `${minutes} 分钟`;
  },
  headline: {
    heading: "概览",
    thisWeek: "本周登记",
    weekBefore: (soFar, all) =>
      `上周同期 ${soFar.toLocaleString("zh-SG")}，上周全周 ${all.toLocaleString("zh-SG")}`,
    waiting: "等待首次联系",
    waitingNow: () => "位客户，截至现在",
    median: "首次联系用时（中位数）",
    contacted: (leads) => `按已联系的 ${leads.toLocaleString("zh-SG")} 位计算`,
    calls: "同意电话联系",
    agreed: (agreed, all) =>
      `${all.toLocaleString("zh-SG")} 位中的 ${agreed.toLocaleString("zh-SG")} 位`,
  },
  daily: {
    heading: "每日登记",
    chart: (days) => `${days} 天的柱形图。可用方向键逐日移动，下方表格列出相同数字。`,
    parts: {
      purchase: "有意购买",
      showflat: "参观示范单位",
      brochure: "索取宣传册",
      erased: "已删除",
    },
    rule: "有多项意向的客户只计一次，次序为有意购买、参观示范单位、索取宣传册。",
    today: "今天",
    unfinished: "今天，尚未结束",
    leftOut: (spam, canaries) =>
      `未计入：疑似垃圾登记 ${spam.toLocaleString("zh-SG")} 个，系统测试 ${canaries.toLocaleString("zh-SG")} 个。`,
    erased: (erased) =>
      `已删除的 ${erased.toLocaleString("zh-SG")} 位客户只计入此图：资料删除后只保留登记时间。`,
    table: "以表格显示",
    columns: { day: "日期", all: "合计", spam: "垃圾", canaries: "测试" },
  },
  sources: {
    heading: "客户从哪里来",
    campaigns: "推广活动",
    sources: "来源",
    referrers: "引荐网站",
    none: { campaigns: "无推广活动", sources: "无来源", referrers: "无或不详" },
    leads: "登记",
    visits: "约参观",
    legend: "“约参观”与深色部分：已约参观的客户。",
    byHand: (count) =>
      `手动录入的 ${count.toLocaleString("zh-SG")} 位客户没有推广活动、来源或引荐网站。`,
  },
  all: (count) => `显示全部 ${count} 项`,
  wishes: {
    heading: "客户想要什么",
    plans: "户型",
    noPlan: "未选户型",
    bedrooms: "卧房",
    rooms: (bedrooms) => (bedrooms === 5 ? "顶层公寓" : `${bedrooms} 间`),
    interests: "意向",
    several: "客户可有多项意向和时间，每项各计一次。",
    languages: "沟通语言",
    visitTimes: "可参观时间",
    week: { weekday: "平日", weekend: "周末" },
    dayParts: { mornings: "上午", afternoons: "下午", evenings: "傍晚" },
  },
  outcome: {
    heading: "跟进结果",
    reached: "跟进进展",
    allLeads: "全部客户",
    contacted: "曾联系",
    visit: "曾约参观",
    share: "占比",
    states: "目前状态",
    reasons: "结束原因",
    noReason: "未注明",
    owners: "按跟进人",
    open: "跟进中",
    followUps: "待跟进",
    overdue: (count) => `（逾期 ${count.toLocaleString("zh-SG")}）`,
    median: "首次联系中位数",
  },
  deliveries: {
    heading: "客户电邮",
    kinds: { confirmation: "确认电邮", brochure: "电子宣传册" },
    states: { delivered: "已送达", waiting: "等待中", failed: "失败", cancelled: "已取消" },
    reasons: {
      "": "尚未发送",
      smtp: "邮件服务器暂不可用",
      "mailbox-full": "邮箱已满",
      "smtp-rejected": "地址被拒收",
      address: "地址无效",
      brochure: "宣传册尚未发布",
      busy: "排队中",
    },
    why: (kind, state, reasons) => `${kind}，${state}：${reasons}`,
    reason: (count, reason) => `${reason} ${count.toLocaleString("zh-SG")} 封`,
    separator: "、",
    none: "此时段没有电邮。",
  },
};

export const reportTexts: Record<Language, ReportTexts> = { en, zh };
