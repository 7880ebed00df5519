// @vitest-environment node
import { describe, expect, it } from "vitest";
import { floorPlans } from "#shared/content/floor-plans.ts";
import { roomPoints } from "#site/art/room-points.ts";
import consent from "#site/content/consent.json" with { type: "json" };
import versions from "#site/content/privacy/versions.json" with { type: "json" };
import { privacyPolicyVersion } from "#site/content/project.ts";
import { messages } from "#site/i18n/all-languages.ts";
import { type AssetsOf, prerender } from "./entry-server.tsx";

const assetsOf: AssetsOf = (language, route) => ({
  style: "/site.css",
  fonts: [`/${language}.woff2`],
  scripts: { entry: "/entry.js", modules: ["/site.js", `/${route}.js`] },
});
const documents = prerender(assetsOf);
const htmlOf = (path: string) => documents.find((document) => document.path === path)?.html ?? "";

const selections = (language: string) =>
  [
    ...[1, 2, 3, 4, 5].map((count) => `bedrooms-${count}`),
    ...floorPlans.map(({ id }) => `plan-${id}`),
    ...Object.entries(roomPoints).flatMap(([id, points = []]) =>
      points.map(([view]) => `plan-${id}-${view}`),
    ),
  ].map((name) => `${language}/floor-plans/${name}.html`);

const policies = (language: string) =>
  versions.map(({ version }) => `${language}/privacy/${version}.html`);

describe("prerendered documents", () => {
  it("exist for each route, selection and language", () => {
    expect(documents.map(({ path }) => path)).toEqual([
      "en/index.html",
      "en/floor-plans/index.html",
      "en/not-found.html",
      ...selections("en"),
      "en/registered.html",
      "en/not-registered.html",
      "en/agree.html",
      "en/agreed.html",
      "en/withdraw.html",
      "en/withdrawn.html",
      ...policies("en"),
      "en/not-withdrawn.html",
      "zh/index.html",
      "zh/floor-plans/index.html",
      "zh/not-found.html",
      ...selections("zh"),
      "zh/registered.html",
      "zh/not-registered.html",
      "zh/agree.html",
      "zh/agreed.html",
      "zh/withdraw.html",
      "zh/withdrawn.html",
      ...policies("zh"),
      "zh/not-withdrawn.html",
    ]);
  });

  it.each(documents)(
    "$path has no inline script, style or handler, and posts its forms",
    ({ html }) => {
      expect(html).not.toMatch(
        /<script(?! type="application\/ld\+json">| [^>]*src=)|<style|\sstyle=|\son[a-z]+=/,
      );
      expect(
        html.match(/<form[^>]*>/g)?.every((form) => form.includes('method="post"')) ?? true,
      ).toBe(true);
      // HTML allows it only where a browser can complete text.
      expect(html).not.toMatch(/<input[^>]*type="(checkbox|radio|hidden)"[^>]*autocomplete=/i);
    },
  );

  it("mark every button of a page with scripts for presses before hydration", () => {
    const hydrated = documents.filter(({ html }) => html.includes("data-modules="));
    expect(hydrated.length).toBeGreaterThan(4);
    const buttons = hydrated.flatMap(({ html }) => html.match(/<button[^>]*>/g) ?? []);
    expect(buttons.length).toBeGreaterThan(20);
    expect(buttons.filter((button) => !button.includes("data-replay"))).toEqual([]);
  });

  it("have the fonts and texts of their language", () => {
    expect(htmlOf("en/index.html")).toContain('<html lang="en">');
    const html = htmlOf("zh/index.html");
    expect(html).toContain('<html lang="zh-Hans">');
    expect(html).toContain('href="/zh.woff2"');
    expect(html).not.toContain("/en.woff2");
    expect(html).toContain("立即登记意向");
  });

  it("have structured data, or noindex", () => {
    for (const { path, html } of documents) {
      const listed = /(index|bedrooms-\d|plan-[\w-]+)\.html$/.test(path);
      // The home page also has the data of its questions.
      const isHome = /^(en|zh)\/index\.html$/.test(path);
      const count = listed ? 1 + Number(isHome) : 0;
      expect(html.split("application/ld+json").length - 1).toBe(count);
      expect(html.includes('content="noindex"')).toBe(!listed);
    }
  });

  it("have one main heading", () => {
    for (const { path, html } of documents) {
      expect({ path, headings: html.split("<h1").length - 1 }).toEqual({ path, headings: 1 });
    }
  });

  it("post the form with all required fields, without JavaScript", () => {
    const html = htmlOf("zh/index.html");
    expect(html).toContain('action="/functions/v1/posted-form?lang=zh"');
    expect(html).not.toMatch(/<button type="submit"[^>]* disabled/);
    expect(html).toContain(`name="privacyPolicyVersion" value="${privacyPolicyVersion}"`);
    expect(html).toMatch(/<noscript><img src="\/functions\/v1\/form-session"/);
  });

  it("filter plans by bedrooms, and keep the canonical address", () => {
    const html = htmlOf("en/floor-plans/bedrooms-2.html");
    expect(html.match(/<article[^>]* id="(\w+)"/g)).toHaveLength(2);
    expect(html).toContain('rel="canonical" href="http://localhost:8080/floor-plans"');
  });

  it("have the result of a no-JavaScript form, which nginx selects", () => {
    expect(htmlOf("zh/registered.html")).toContain(
      '<strong><!--# echo var="reference" default="" --></strong>',
    );
    expect(htmlOf("zh/not-registered.html")).toContain(
      '<!--# if expr="$arg_errors = /\\bemail_invalid\\b/" -->电邮格式不正确<!--# else --><!--# endif -->',
    );
    const token = '<!--# echo var="withdrawal_token" default="" -->';
    expect(htmlOf("en/registered.html")).toContain(
      `<!--# if expr="$withdrawal_token" --><a class="text-button" href="/agree?token=${token}&amp;lang=en">${consent.question.en}</a><!--# endif -->`,
    );
    expect(htmlOf("en/withdraw.html").split(token)).toHaveLength(4);
    expect(htmlOf("en/withdraw.html")).toContain(`href="?token=${token}&amp;lang=zh"`);
    expect(htmlOf("en/agree.html").split(token)).toHaveLength(4);
    expect(htmlOf("zh/agree.html")).toContain(`>${consent.phone.zh}</button>`);
    expect(htmlOf("en/agreed.html")).toContain('<!--# if expr="$arg_channel = phone" -->');
    expect(htmlOf("en/registered.html")).not.toMatch(/<script|modulepreload/);
  });

  it("link to the other language without JavaScript", () => {
    expect(htmlOf("en/index.html")).toMatch(/<a[^>]* href="\?lang=zh"[^>]*>中文<\/a>/);
    expect(htmlOf("zh/not-found.html")).toMatch(/<a[^>]* href="\?lang=en"[^>]*>English<\/a>/);
  });

  it("load the stylesheet before a low-priority script", () => {
    const html = htmlOf("en/index.html");
    const places = ['rel="stylesheet"', '<script type="module"', "<body>"].map((mark) =>
      html.indexOf(mark),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(html).toMatch(/<script type="module"[^>]* fetchPriority="low"/);
  });
});

describe("a document's head", () => {
  const headOf = (path: string) => /<head>.*<\/head>/.exec(htmlOf(path))?.[0] ?? "";
  const link = (rel: string, href: string, hreflang = "") =>
    `<link rel="${rel}" ${hreflang === "" ? "" : `hrefLang="${hreflang}" `}href="${href}"/>`;
  const property = (name: string, content: string) =>
    `<meta property="${name}" content="${content}"/>`;

  it("has the address without ?lang for English and as the default", () => {
    const head = headOf("zh/floor-plans/index.html");
    const plain = "http://localhost:8080/floor-plans";
    expect(head).toContain(link("canonical", `${plain}?lang=zh`));
    expect(head).toContain(link("alternate", plain, "en"));
    expect(head).toContain(link("alternate", `${plain}?lang=zh`, "zh-Hans"));
    expect(head).toContain(link("alternate", plain, "x-default"));
  });

  it("describes a shared page in its language", () => {
    const { title, description } = messages.zh.head.home;
    const head = headOf("zh/index.html");
    expect(head).toContain(`<title>${title}</title>`);
    expect(head).toContain(property("og:title", title));
    expect(head).toContain(property("og:description", description));
    expect(head).toContain(property("og:url", "http://localhost:8080/?lang=zh"));
  });

  it("describes a shared plan by its name", () => {
    const head = headOf("en/floor-plans/plan-B2.html");
    expect(head).toContain("<title>2 Bedroom Deluxe B2: Zyon Grand</title>");
    expect(head).toContain(property("og:title", "2 Bedroom Deluxe B2: Zyon Grand"));
    expect(head).toContain(property("og:url", "http://localhost:8080/floor-plans?plan=B2"));
    expect(head).toContain(property("og:image", "http://localhost:8080/social/b2-en.jpg"));
    expect(head).toContain(link("canonical", "http://localhost:8080/floor-plans"));
  });

  it("shows a shared room by its picture", () => {
    const head = headOf("en/floor-plans/plan-C1-living.html");
    expect(head).toContain("<title>3 Bedroom Deluxe C1: Zyon Grand</title>");
    const address = "http://localhost:8080/floor-plans?plan=C1&amp;view=living";
    expect(head).toContain(property("og:url", address));
    expect(head).toMatch(/<meta property="og:image" content="[^"]+c1-living-960-[^"]+\.jpeg"/);
    expect(head).toContain(property("og:image:height", "600"));
    const text = "Living room of 3 Bedroom Deluxe C1, seen from the eye on the plan";
    expect(head).toContain(property("og:image:alt", text));
  });
});
