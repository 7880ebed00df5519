// What each document loads, and the pictures of the first screen, compressed. 1 kB is 1000 bytes.
// Of the home page's scripts, react-dom is 69 kB, i18next 18 kB, the router 15 kB and react-hook-form 13 kB.
import { readFileSync } from "node:fs";

const documents = ["en", "zh"].flatMap((language) =>
  ["index.html", "floor-plans/index.html"].map((page) => ({
    path: `dist/documents/${language}/${page}`,
    fonts: language === "en" ? "48 kB" : "85 kB",
    scriptLimit: page === "index.html" ? "150 kB" : "130 kB",
  })),
);

export default [
  ...documents.flatMap(({ path, fonts, scriptLimit }) => {
    const [head = ""] = readFileSync(path, "utf8").split("</head>");
    const asked = (ending) =>
      [...head.matchAll(new RegExp(`[" ]/(assets/[^" ]+\\.${ending})(?=[" ])`, "g"))].map(
        ([, address]) => `dist/${address}`,
      );
    return [
      { name: path, path, limit: "16 kB", gzip: true },
      { name: `${path}: scripts`, path: asked("js"), limit: scriptLimit, gzip: true },
      { name: `${path}: styles`, path: asked("css"), limit: "12.2 kB", gzip: true },
      { name: `${path}: fonts`, path: asked("woff2"), limit: fonts, brotli: false },
    ];
  }),
  { path: "dist/assets/hero-1600-*.avif", limit: "90 kB", brotli: false },
  { path: "dist/assets/hero-768-*.avif", limit: "30 kB", brotli: false },
  { path: "dist/assets/heroPhone-880-*.avif", limit: "60 kB", brotli: false },
];
