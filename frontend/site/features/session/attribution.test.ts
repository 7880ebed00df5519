import { describe, expect, it } from "vitest";
import { attributionOf } from "./session.ts";

describe("the first touch", () => {
  it("has only path, external host and campaign of the addresses", () => {
    const visit = {
      href: "https://zyon.example/floor-plans?utm_source=news&utm_campaign=%E6%98%A5&email=a@b.co#x",
      referrer: "https://search.example/results?q=my+name",
    };
    expect(attributionOf(visit)).toEqual({
      landing_path: "/floor-plans",
      referrer_host: "search.example",
      utm: { source: "news", campaign: "春" },
    });
  });

  it.each(["", "about:blank", "nonsense"])("has no referrer for %j", (referrer) => {
    expect(attributionOf({ href: "https://zyon.example/", referrer })).toEqual({
      landing_path: "/",
    });
  });

  it("is the page of the site that linked here", () => {
    expect(
      attributionOf({
        href: "https://zyon.example/floor-plans",
        referrer: "https://zyon.example/?utm_source=news",
      }),
    ).toEqual({ landing_path: "/", utm: { source: "news" } });
  });

  it("is truncated, and stays valid Unicode if an emoji is cut", () => {
    const href = `https://zyon.example/?utm_term=${encodeURIComponent(`${"a".repeat(199)}🏙`)}`;
    const term = attributionOf({ href, referrer: "" }).utm?.["term"];
    expect(term).toBe(`${"a".repeat(199)}\ufffd`);
  });
});
