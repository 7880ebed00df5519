import type { FirstMessages } from "./messages.ts";

export const zhFirst = {
  head: {
    home: {
      title: "Zyon Grand：毗邻地铁站的住宅",
      description:
        "两座{{storeys}}层塔楼，共{{residences}}户住宅，距地铁站{{firstStation}}米。登记即可收到电子宣传册、平面图、价格与示范单位预览通知。",
    },
    floorPlans: {
      title: "平面图：Zyon Grand",
      description:
        "十二款户型，从{{smallest}}平方英尺的一卧室单位到{{largest}}平方英尺的顶层公寓，附面积、卧室与浴室数量。",
    },
    notFound: {
      title: "找不到页面：Zyon Grand",
      description: "您访问的页面不存在。",
    },
    planTitle: "{{name}}：Zyon Grand",
    picture: "Zyon Grand 效果图：暮色之中，两座高塔与一座较矮的塔楼临水而立。",
  },
  toBeAnnounced: "待公布",
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
  hero: {
    lead: "双塔六十二层，距地铁站七十米。",
    plans: "浏览平面图",
    picture: "暮色中，两座高塔与一座较矮的塔楼临河而立，倒映水中，背后是城市。",
  },
  update: {
    label: "最新消息",
    heading: "登记即可在示范单位开放时获得通知",
    before: "立即登记，电子宣传册、平面图与价格公布后会立即发给您；",
    link: "示范单位预览",
    after: "开放时，我们也会通知您。",
  },
  footer: {
    navigation: "网站导航",
    developer: "发展商",
    developerHeading: { heading: "Zyon Grand 由一家合资公司负责发展。" },
    aboutDeveloper: "了解发展商",
    pictures: "图片均为效果图，户型与面积仅供参考。",
    copyright: "© 2025 Zyon Grand 版权所有",
    privacy: "隐私政策",
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
} satisfies FirstMessages;
