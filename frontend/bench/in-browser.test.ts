// @vitest-environment node
import { expect, it } from "vitest";
import { emptied } from "./in-browser.mjs";

const document = (page: string, preloads = "") => `<head>
    <script type="module" fetchpriority="low" crossorigin src="/assets/a.js"></script>
  ${preloads}</head>
  <body>
    <div id="root">${page}</div>
  </body>
</html>`;

it("the copy's documents keep all but the page, and ask for every script at once", () => {
  const page = '<main>\n<div><img fetchpriority="high"></div></main><footer></footer>';
  const preload = '<link rel="modulepreload" href="/assets/b.js" />';
  const expected = document("", preload).replace(' fetchpriority="low"', "");
  expect(emptied(document(page), ["b.js"])).toBe(expected);
});

it("a document that has no page was not prerendered", () => {
  expect(() => emptied(document(""), [])).toThrow("no rendered page");
  expect(() => emptied("<body><p>Hello</p></body>", [])).toThrow("no rendered page");
});
