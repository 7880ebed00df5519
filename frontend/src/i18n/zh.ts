import type { Messages } from "./messages.ts";

export const zh = {
  head: {
    home: {
      title: "Zyon Grand：毗邻地铁站的住宅",
      description:
        "双塔六十二层，706户住宅，距地铁站70米。登记意向，即可收到电子楼书、户型图、价格与示范单位的预览通知。",
    },
    notFound: {
      title: "找不到页面：Zyon Grand",
      description: "此网址没有页面。",
    },
  },
  bar: {
    skip: "跳至正文",
    home: "Zyon Grand 首页",
    register: "登记意向",
  },
  footer: {
    copyright: "© 2025 Zyon Grand 版权所有",
    privacy: "隐私政策",
  },
  opening: {
    lead: "双塔六十二层，距地铁站七十米。",
    facts: {
      residences: { figure: "706", text: "户住宅" },
      tenure: { figure: "99", text: "年地契，自2024年7月15日起计" },
      apartments: { figure: "36", text: "层服务式公寓，自成一座" },
    },
  },
  contact: {
    heading: "即刻登记意向",
    text: "请选择您希望收到的资料，并留下联系方式。电子楼书、户型图、价格与示范单位的预览通知，备妥一项，我们便寄送一项。",
    salesTelephone: "销售电话",
    showFlat: "示范单位",
    toBeAnnounced: "待公布",
  },
  registration: {
    required: "必填",
    requiredBefore: "标有 ",
    requiredAfter: " 的为必填项。",
    optional: "选填",
    interests: "您的意向",
    interest: {
      brochure: "资料公布后，请寄给我电子楼书、户型图与价格",
      purchase: "有意购买",
      showflat: "示范单位备妥后，希望优先预览",
    },
    name: "姓名",
    mobile: "手机号码",
    email: "电子邮箱",
    questions: "问题",
    antiSpam: "5+2等于几？",
    privacyBefore: "我已阅读并接受",
    privacyLink: "隐私政策",
    submit: "提交",
    submitting: "正在提交……",
    error: {
      interests_required: "请至少选择一项意向",
      name_required: "请填写姓名",
      name_too_long: "姓名不能超过100个字符",
      mobile_too_short: "手机号码至少须有8位",
      mobile_too_long: "手机号码须少于20个字符",
      email_invalid: "电子邮箱格式不正确",
      email_too_long: "电子邮箱不能超过255个字符",
      questions_too_long: "问题不能超过1000个字符",
      anti_spam_wrong: "答案不正确，请重新计算。",
      privacy_required: "请先接受隐私政策",
      missing: "此项必须填写",
      wrong_type: "无法识别此项内容",
      unknown_interest: "所选意向中有一项已不再提供",
    },
    toast: {
      accepted: "感谢您的关注！我们会尽快与您联系。",
      invalid: "请更正表格中的错误",
      failed: "提交失败，请再试一次。",
      dismiss: "关闭",
    },
    acceptedNote: "您的登记编号，来电或来信时请告知：",
    failedNote: "您填写的内容仍在。如需致电：",
  },
  privacy: {
    heading: "隐私政策",
    text: "提交表格时，我们会收到您的意向、姓名、手机号码、电子邮箱与所提问题，以及您阅读的语言、最先打开的页面和引您前来的网站。这些资料只用于寄送您所要的内容、答复您有关 Zyon Grand 的询问；您可随时要求销售团队更正或删除。",
  },
  notFound: {
    heading: "404",
    text: "抱歉，找不到页面",
    home: "返回首页",
  },
  unexpected: {
    heading: "应用程序发生意外错误！",
    text: "请重新打开页面。",
  },
} satisfies Messages;
