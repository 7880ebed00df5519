import type { texts as en } from "#site/i18n/en/site.ts";

export const texts: typeof en = {
  head: {
    home: {
      title: "Zyon Grand：毗邻地铁站的住宅",
      description:
        "两座{{storeys}}层塔楼，共{{residences}}户住宅，距地铁站{{firstStation}}米。登记即可收到电子宣传册、户型图、售价与示范单位开放通知。",
    },
    floorPlans: {
      title: "平面图：Zyon Grand",
      description:
        "十二款户型，由{{smallest}}平方英尺一卧房，至{{largest}}平方英尺顶层公寓，附面积、卧房与浴室数量。",
    },
    notFound: {
      title: "找不到页面：Zyon Grand",
      description: "您访问的页面不存在。",
    },
    plan: "{{name}}：Zyon Grand",
    picture: "Zyon Grand 效果图：暮色之中，两座高塔与一座较矮的塔楼临水而立。",
  },
  toBeAnnounced: "待公布",
  openFacts: "待公布：{{name}}",
  impression: "效果图",
  bar: {
    skip: "跳至正文",
    home: "Zyon Grand 首页",
    register: "登记意向",
    main: "主导航",
    menu: "菜单",
  },
  nav: {
    home: "首页",
    floorPlans: "平面图",
    developer: "发展商",
    project: "Zyon Grand",
    region: "中央区",
    blog: "资讯",
    showFlat: "示范单位",
    contact: "联系我们",
  },
  footer: {
    navigation: "网站导航",
    developer: "发展商",
    developerHeading: { heading: "Zyon Grand 由一家合资公司负责发展。" },
    aboutDeveloper: "了解发展商",
    privacy: "隐私政策",
    pictures: "图片均为效果图，户型与面积仅供参考。",
    copyright: "© 2025 Zyon Grand 版权所有",
  },
  notFound: {
    heading: "404",
    text: "抱歉，找不到页面",
    home: "返回首页",
  },
  unexpected: {
    heading: "很抱歉，应用程序意外出错！",
    text: "请重新载入页面，您填写的内容仍会保留。",
    reload: "重新载入",
  },
  viewer: {
    enlarge: "放大图片：{{caption}}",
    close: "关闭",
    previous: "上一个",
    next: "下一个",
    position: "{{number}} / {{count}}",
    zoomIn: "放大",
    zoomOut: "缩小",
  },
  ways: {
    phone: "电话",
    whatsapp: "通过 WhatsApp 联系我们",
    wechat: "微信号",
  },
  toast: {
    accepted: "感谢您的关注！我们会尽快与您联系。",
    invalid: "请更正表格中的错误",
    failed: "提交失败，请再试一次。",
    dismiss: "关闭",
  },
  seePlans: "浏览平面图",
  share: {
    label: "分享",
    copied: "链接已复制",
    notCopied: "请复制地址栏链接",
  },
  areaUnit: "平方英尺",
  unit: {
    A1: { heading: "一卧房精巧型 A1" },
    A2: { heading: "一卧房豪华型 A2" },
    A3: { heading: "一卧房尊享型 A3" },
    B1: { heading: "两卧房精巧型 B1" },
    B2: { heading: "两卧房豪华型 B2" },
    C1: { heading: "三卧房豪华型 C1" },
    C2N: { heading: "三卧房加书房尊享型 C2N" },
    D1: { heading: "四卧房豪华型 D1" },
    D2: { heading: "四卧房尊享型 D2" },
    PH1: { heading: "五卧房顶层公寓 PH1" },
    PH2: { heading: "五卧房顶层公寓 PH2" },
    PH3: { heading: "五卧房顶层公寓 PH3" },
  },
};
