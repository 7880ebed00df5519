// @vitest-environment node
import { describe, expect, it } from "vitest";
import { privacyPolicyVersion } from "#content/project.ts";
import { prerender } from "./entry-server.tsx";

const template =
  '<!doctype html><html lang="en"><head><!--head--></head><body><!--page--></body></html>';
const manifest = {
  template,
  fonts: { en: ["/latin.woff2"], zh: ["/han.woff2"] },
  messageScripts: { en: "/en.js", zh: "/zh.js" },
};
const documents = await prerender(manifest);
const htmlOf = (path: string) => documents.find((document) => document.path === path)?.html ?? "";

const byBedrooms = (language: string) =>
  [1, 2, 3, 4, 5].map((count) => `${language}/floor-plans/bedrooms-${count}.html`);

describe("the prerendered documents", () => {
  it("are one per route and language", () => {
    expect(documents.map(({ path }) => path)).toEqual([
      "en/index.html",
      "en/floor-plans/index.html",
      "en/not-found.html",
      ...byBedrooms("en"),
      "en/registered.html",
      "en/not-registered.html",
      "zh/index.html",
      "zh/floor-plans/index.html",
      "zh/not-found.html",
      ...byBedrooms("zh"),
      "zh/registered.html",
      "zh/not-registered.html",
    ]);
  });

  it.each(documents)(
    "$path holds no inline script, style or handler, and no address of a field",
    ({ html }) => {
      // A data block is no script, and the only one.
      expect(html).not.toMatch(
        /<script(?! type="application\/ld\+json">)|<style|\sstyle=|\son[a-z]+=/,
      );
      expect(
        html.match(/<form[^>]*>/g)?.every((form) => form.includes('method="post"')) ?? true,
      ).toBe(true);
    },
  );

  it("say their language, and preload its fonts and texts, not the other's", () => {
    expect(htmlOf("en/index.html")).toContain('<html lang="en">');
    expect(htmlOf("zh/index.html")).toContain('<html lang="zh-Hans">');
    expect(htmlOf("zh/index.html")).toContain('href="/han.woff2"');
    expect(htmlOf("zh/index.html")).toContain(
      '<link rel="modulepreload" fetchpriority="low" crossorigin href="/zh.js" />',
    );
    expect(htmlOf("zh/index.html")).not.toContain("/en.js");
    expect(htmlOf("zh/index.html")).toContain("立即登记意向");
  });

  it("describe the development in data, but for pages that are not to be listed", () => {
    for (const { path, html } of documents) {
      const listed = /(index|bedrooms-\d)\.html$/.test(path);
      expect(html.split("application/ld+json").length - 1).toBe(listed ? 1 : 0);
      expect(html.includes('content="noindex"')).toBe(!listed);
    }
  });

  it("post the form without script, with all that the server needs", () => {
    const html = htmlOf("zh/index.html");
    expect(html).toContain('action="/functions/v1/posted-form?lang=zh"');
    expect(html).not.toMatch(/<button type="submit"[^>]* disabled/);
    expect(html).toContain(`name="privacyPolicyVersion" value="${privacyPolicyVersion}"`);
    expect(html).toMatch(/<noscript><img src="\/functions\/v1\/form-session"/);
  });

  it("show the plans with one number of bedrooms, and keep their canonical address", () => {
    const html = htmlOf("en/floor-plans/bedrooms-2.html");
    expect(html.match(/<article[^>]* id="(\w+)"/g)).toHaveLength(2);
    expect(html).toContain('rel="canonical" href="http://localhost:8080/floor-plans"');
  });

  it("answer a posted form in words that the server chooses, without script", () => {
    expect(htmlOf("zh/registered.html")).toContain(
      '<strong><!--# echo var="arg_reference" default="" --></strong>',
    );
    expect(htmlOf("zh/not-registered.html")).toContain(
      '<!--# if expr="$arg_errors = /\\bemail_invalid\\b/" -->电邮格式不正确<!--# else --><!--# endif -->',
    );
    expect(htmlOf("en/registered.html")).not.toMatch(/<script|modulepreload/);
  });

  it("offer the other language as a link that needs no script", () => {
    expect(htmlOf("en/index.html")).toMatch(/<a[^>]* href="\?lang=zh"[^>]*>中文<\/a>/);
    expect(htmlOf("zh/not-found.html")).toMatch(/<a[^>]* href="\?lang=en"[^>]*>English<\/a>/);
  });

  it("ask for what is seen before what makes it live", async () => {
    const assets =
      '<script type="module" src="/entry.js"></script><link rel="stylesheet" href="/site.css">';
    const [first] = await prerender({
      ...manifest,
      template: template.replace("</head>", `${assets}</head>`),
    });
    const html = first?.html ?? "";
    const places = ['rel="stylesheet"', 'as="font"', "<title>", "<body>"].map((mark) =>
      html.indexOf(mark),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    const scripts = html.match(/<script type="module"[^>]*>|<link rel="modulepreload"[^>]*>/g);
    expect(scripts).toHaveLength(2);
    expect(scripts?.every((tag) => tag.includes('fetchpriority="low"'))).toBe(true);
  });

  it("are refused when the template has lost a mark", async () => {
    await expect(prerender({ ...manifest, template: "<html>" })).rejects.toThrow("exactly once");
  });
});
