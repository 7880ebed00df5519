/** Texts of the pages after the no-JavaScript form. Separate from the messages, which browsers load. */
export const postedTexts = {
  en: {
    title: "Registered: Zyon Grand",
    refusedTitle: "Not registered: Zyon Grand",
    heading: "Thank you",
    back: "Please use your browser’s Back button. What you typed is still there. Please check how we may reach you, and answer the sum and tick the box under it again: each may be empty.",
    rateLimited:
      "Too many people are registering from your network right now. Please try again in a minute.",
    form: "Go to the form",
  },
  zh: {
    title: "登记成功：Zyon Grand",
    refusedTitle: "尚未登记：Zyon Grand",
    heading: "谢谢您",
    back: "请按浏览器的“返回”按钮回到表格，您填写的内容仍会保留。联系方式的选择、算术题与其下方的勾选可能已清空，请重新填写。",
    rateLimited: "您所在的网络目前登记人数过多，请一分钟后再试。",
    form: "前往表格",
  },
};
