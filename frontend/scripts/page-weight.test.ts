// @vitest-environment node
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { weighPage } from "./page-weight.mjs";

let dist: string;
beforeEach(async () => {
  dist = await mkdtemp(join(tmpdir(), "page-weight-"));
});
afterEach(() => rm(dist, { recursive: true }));

describe("the weight of a page", () => {
  it("has the modules that are loaded before anything is pressed, each once", async () => {
    await write(
      "assets/entry.js",
      'import{a}from"./shared.js";export*from"./more.js";import("./late.js");',
    );
    await write("assets/shared.js", 'import"./more.js";export const a="import\\"./none.js\\"";');
    await write("assets/more.js", "export const b=1;");
    await write("assets/late.js", "x".repeat(5000));
    await write("assets/texts.js", "export const c=1;");
    for (const [name, size] of Object.entries({ entry: 1000, shared: 200, more: 30, texts: 4 })) {
      await write(`assets/${name}.js.gz`, "x".repeat(size));
    }
    const { script } = await weigh(
      '<link rel="modulepreload" href="/assets/texts.js">',
      '<script type="module" crossorigin src="/assets/entry.js"></script>',
      '<script type="application/ld+json">{}</script>',
    );
    expect(script).toBe(1234);
  });

  it("has every style sheet, the preloaded fonts, and the pictures that styles name", async () => {
    await write(
      "assets/a.css",
      'a{background:url(./mark.svg)}@font-face{src:url("/assets/f.woff2")}b{mask:url("#m")}',
    );
    await write("assets/a.css.gz", "x".repeat(100));
    await write("assets/b.css.gz", "x".repeat(20));
    await write("assets/b.css", "");
    await write("assets/mark.svg.gz", "x".repeat(7));
    await write("assets/f.woff2", "x".repeat(40));
    const weight = await weigh(
      '<link rel="stylesheet" crossorigin href="/assets/a.css"><link href="/assets/b.css" rel="stylesheet">',
      '<link rel="preload" href="/assets/f.woff2" as="font" type="font/woff2" crossorigin>',
    );
    expect(weight).toMatchObject({ style: 120, font: 40, picture: 7, foreign: [] });
  });

  it("is that of the compressed document", async () => {
    await write("index.html.gz", "x".repeat(321));
    expect((await weigh("<p>")).document).toBe(321);
  });

  it("has a third party wherever something would be fetched from one, and nowhere else", async () => {
    await write(
      "assets/a.css",
      '@import "//styles.example/x.css";a{background:url(data:image/png;base64,AA)}',
    );
    const { foreign } = await weigh(
      '<link rel="canonical" href="https://zyon.example/"><link rel="alternate" hreflang="en" href="https://zyon.example/">',
      '<meta property="og:image" content="https://zyon.example/social-en.jpg">',
      '<a href="https://elsewhere.example/">elsewhere</a><img loading="lazy" src="data:image/gif;base64,AA">',
      '<link rel="preconnect" href="https://preconnect.example"><link rel="stylesheet" href="/assets/a.css">',
      '<iframe src="https://frame.example/map"></iframe><script src="//script.example/x.js"></script>',
      '<img loading="lazy" src="/a.jpg" srcSet="/a.jpg 100w, https://picture.example/b.jpg 200w">',
    );
    expect(foreign.map((address) => new URL(address, "http://x").host).sort()).toEqual(
      ["frame", "picture", "preconnect", "script", "styles"].map((name) => `${name}.example`),
    );
  });
});

describe("the pictures that a phone shows first", () => {
  beforeEach(async () => {
    for (const size of [10, 20, 30, 40, 50]) {
      await write(`p${size}.avif`, "x".repeat(size));
    }
    await write("plan.svg", "x".repeat(999));
    await write("plan.svg.gz", "x".repeat(5));
  });

  const set = 'srcSet="/p10.avif 390w, /p20.avif 780w, /p30.avif 1170w, /p40.avif 2000w"';
  it.each([
    { why: "the candidate for three pixels each", sizes: "100vw", bytes: 30 },
    { why: "that for half the window", sizes: "50vw", bytes: 20 },
    {
      why: "the entry that matches",
      sizes: "(min-width: 62em) 100vw, (max-width: 30em) 8rem, 50vw",
      bytes: 10,
    },
    {
      why: "the largest where sizes calculates",
      sizes: "(min-width: 62em) 50vw, calc(100vw - 3rem)",
      bytes: 40,
    },
    { why: "the largest where none is large enough", sizes: "1000px", bytes: 40 },
  ])("are $why", async ({ sizes, bytes }) => {
    const weight = await weigh(
      `<picture><source type="image/avif" ${set} sizes="${sizes}"><img src="/none.jpg"></picture>`,
    );
    expect(weight.picture).toBe(bytes);
  });

  it("are in the cut for its window, are not lazy, and count once", async () => {
    const weight = await weigh(
      `<link rel="preload" as="image" imageSrcSet="/p50.avif 660w" imageSizes="100vw">`,
      `<picture>
         <source type="image/avif" media="(min-width: 62em)" srcset="/p40.avif 2000w">
         <source type="image/webp" media="(max-width: 61.99em)" srcset="/none.webp 660w">
         <source type="image/avif" media="(max-width: 61.99em)" srcset="/p50.avif 660w" sizes="100vw">
         <img src="/none.jpg">
       </picture>`,
      '<img loading="lazy" src="/none.jpg"><img src="/plan.svg">',
    );
    expect(weight.picture).toBe(55);
  });
});

async function weigh(...parts: string[]) {
  await write("index.html", `<!doctype html><html><body>${parts.join("")}</body></html>`);
  return weighPage(dist, "index.html");
}

async function write(name: string, text: string) {
  await mkdir(dirname(join(dist, name)), { recursive: true });
  await writeFile(join(dist, name), text);
}
