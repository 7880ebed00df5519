import { beforeEach, describe, expect, it } from "vitest";
import { applyHead, headHtml, headOf } from "./head.ts";

describe("the head of a document", () => {
  it("is in the document's language", () => {
    expect(headOf("home", "en")).toMatchObject({
      lang: "en",
      title: expect.stringContaining("Zyon Grand"),
    });
    expect(headOf("home", "zh")).toMatchObject({
      lang: "zh-Hans",
      title: expect.stringContaining("住宅"),
    });
  });

  it("keeps the not-found page, and only it, from search engines", () => {
    expect(headOf("notFound", "en").robots).toBe("noindex");
    expect(headOf("home", "en").robots).toBeNull();
  });

  it("is escaped in HTML", () => {
    const html = headHtml({ lang: "en", title: "a<b&c", description: '"x"', robots: null });
    expect(html).toContain("<title>a&lt;b&amp;c</title>");
    expect(html).toContain('content="&quot;x&quot;"');
    expect(html).not.toContain("robots");
  });
});

describe("a live head", () => {
  beforeEach(() => {
    document.head.innerHTML = headHtml(headOf("notFound", "en"));
  });

  it("follows language and route", () => {
    applyHead(document, headOf("home", "zh"));
    expect(document.documentElement.lang).toBe("zh-Hans");
    expect(document.title).toBe(headOf("home", "zh").title);
    expect(document.querySelector("meta[name=robots]")).toBeNull();
    applyHead(document, headOf("notFound", "zh"));
    expect(document.querySelector("meta[name=robots]")?.getAttribute("content")).toBe("noindex");
    expect(document.querySelectorAll("meta[name=description]")).toHaveLength(1);
  });
});
