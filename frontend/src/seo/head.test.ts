import { beforeEach, describe, expect, it } from "vitest";
import { messages } from "#i18n/all-languages.ts";
import { applyHead, headOf } from "./head.ts";
import { headHtml } from "./head-html.ts";

const { en, zh } = messages;

const origin = "https://zyon.example";

describe("the head of a document", () => {
  it("is in the document's language", () => {
    expect(headOf("home", "en", en)).toMatchObject({
      lang: "en",
      title: expect.stringContaining("Zyon Grand"),
    });
    expect(headOf("home", "zh", zh)).toMatchObject({
      lang: "zh-Hans",
      title: expect.stringContaining("住宅"),
    });
  });

  it("names the plain address for English and for readers of any other language", () => {
    expect(headOf("floorPlans", "en", en, origin).links).toEqual([
      { rel: "canonical", href: "https://zyon.example/floor-plans" },
      { rel: "alternate", hreflang: "en", href: "https://zyon.example/floor-plans" },
      { rel: "alternate", hreflang: "zh-Hans", href: "https://zyon.example/floor-plans?lang=zh" },
      { rel: "alternate", hreflang: "x-default", href: "https://zyon.example/floor-plans" },
    ]);
    expect(headOf("home", "zh", zh, origin).links.map(({ href }) => href)).toEqual([
      "https://zyon.example/?lang=zh",
      "https://zyon.example/",
      "https://zyon.example/?lang=zh",
      "https://zyon.example/",
    ]);
  });

  it("keeps the not-found page, and only it, from search engines", () => {
    expect(headOf("notFound", "en", en)).toMatchObject({ robots: "noindex", links: [] });
    expect(headOf("home", "en", en).robots).toBeNull();
  });
});

describe("the head of a prerendered document", () => {
  const read = (...parameters: Parameters<typeof headHtml>) =>
    new DOMParser().parseFromString(`<head>${headHtml(...parameters)}</head>`, "text/html").head;
  const property = (head: HTMLHeadElement, name: string) =>
    head.querySelector(`meta[property="${name}"]`)?.getAttribute("content");

  it.each([
    { route: "home", language: "en", messages: en, address: "https://zyon.example/" },
    {
      route: "floorPlans",
      language: "zh",
      messages: zh,
      address: "https://zyon.example/floor-plans?lang=zh",
    },
  ] as const)(
    "of $route in $language describes a shared link",
    ({ route, language, messages, address }) => {
      const head = read(route, language, messages, origin);
      expect(property(head, "og:title")).toBe(messages.head[route].title);
      expect(property(head, "og:description")).toBe(messages.head[route].description);
      expect(property(head, "og:url")).toBe(address);
      expect(head.querySelector("link[rel=canonical]")?.getAttribute("href")).toBe(address);
      expect(property(head, "og:image")).toBe(`https://zyon.example/social-${language}.jpg`);
      expect(property(head, "og:image:alt")).toBe(messages.head.picture);
      expect(property(head, "og:locale")).toBe({ en: "en_SG", zh: "zh_CN" }[language]);
      expect(property(head, "og:locale:alternate")).toBe({ en: "zh_CN", zh: "en_SG" }[language]);
      expect(head.querySelector("meta[name='twitter:card']")?.getAttribute("content")).toBe(
        "summary_large_image",
      );
    },
  );

  it("of the not-found page says nothing to those who collect links", () => {
    const head = read("notFound", "en", en, origin);
    expect(head.querySelector("meta[name=robots]")?.getAttribute("content")).toBe("noindex");
    expect(head.querySelector("link, script, meta[property]")).toBeNull();
  });

  it("is escaped", () => {
    const page = { title: "a<b&c", description: '"x"' };
    const html = headHtml("notFound", "en", { ...en, head: { ...en.head, notFound: page } });
    expect(html).toContain("<title>a&lt;b&amp;c</title>");
    expect(html).toContain('content="&quot;x&quot;"');
  });
});

describe("a live head", () => {
  beforeEach(() => {
    document.head.innerHTML = headHtml("notFound", "en", en, origin);
  });

  it("follows language and route, and becomes what the document itself would say", () => {
    applyHead(document, headOf("home", "zh", zh, origin));
    expect(document.documentElement.lang).toBe("zh-Hans");
    expect(document.title).toBe(zh.head.home.title);
    expect(document.querySelector("meta[name=robots]")).toBeNull();
    const links = document.head.querySelectorAll("link");
    const expected = document.createElement("head");
    expected.innerHTML = headHtml("home", "zh", zh, origin);
    expect([...links].map(attributes)).toEqual(
      [...expected.querySelectorAll("link")].map(attributes),
    );

    applyHead(document, headOf("notFound", "zh", zh, origin));
    expect(document.querySelector("meta[name=robots]")?.getAttribute("content")).toBe("noindex");
    expect(document.querySelectorAll("meta[name=description]")).toHaveLength(1);
    expect(document.querySelector("link")).toBeNull();
  });

  function attributes(element: Element): Record<string, string> {
    return Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
  }
});
