// @vitest-environment node
import { describe, expect, it } from "vitest";
import { prerender } from "./prerender.tsx";

const template =
  '<!doctype html><html lang="en"><head><!--head--></head><body><!--page--></body></html>';
const documents = prerender({ template, fonts: { en: ["/latin.woff2"], zh: ["/han.woff2"] } });
const htmlOf = (path: string) => documents.find((document) => document.path === path)?.html ?? "";

describe("the prerendered documents", () => {
  it("are one per route and language", () => {
    expect(documents.map(({ path }) => path)).toEqual([
      "en/index.html",
      "en/not-found.html",
      "zh/index.html",
      "zh/not-found.html",
    ]);
  });

  it.each(documents)(
    "$path holds no inline script, style or handler, and no address of a field",
    ({ html }) => {
      expect(html).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=/);
      expect(
        html.match(/<form[^>]*>/g)?.every((form) => form.includes('method="post"')) ?? true,
      ).toBe(true);
    },
  );

  it("say their language, and preload its fonts", () => {
    expect(htmlOf("en/index.html")).toContain('<html lang="en">');
    expect(htmlOf("zh/index.html")).toContain('<html lang="zh-Hans">');
    expect(htmlOf("zh/index.html")).toContain('href="/han.woff2"');
    expect(htmlOf("zh/index.html")).toContain("即刻登记意向");
  });

  it("cannot submit before they are hydrated", () => {
    expect(htmlOf("en/index.html")).toMatch(/<button type="submit"[^>]* disabled=""/);
  });

  it("offer the other language as a link that needs no script", () => {
    expect(htmlOf("en/index.html")).toMatch(/<a[^>]* href="\?lang=zh"[^>]*>中文<\/a>/);
    expect(htmlOf("zh/not-found.html")).toMatch(/<a[^>]* href="\?lang=en"[^>]*>English<\/a>/);
  });

  it("are refused when the template has lost a mark", () => {
    expect(() => prerender({ template: "<html>", fonts: { en: [], zh: [] } })).toThrow(
      "exactly once",
    );
  });
});
