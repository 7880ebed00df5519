// @vitest-environment node
import { posix } from "node:path";
import { describe, expect, it } from "vitest";

/** The layers of src/, top first. A file may import only from its row and the rows below. "": files in src/ itself. */
const layers = [
  [""],
  ["pages"],
  ["shell"],
  ["features"],
  ["seo"],
  ["art"],
  ["content", "i18n", "routes.ts"],
  ["settings.ts", "styles", "api", "ui"],
];

const texts: Record<string, string> = import.meta.glob(
  ["./**/*.{ts,tsx}", "!./**/*.test.*", "!./testing/**"],
  { query: "?raw", import: "default", eager: true },
);

/** The imports of each file, type imports included: paths below `src/`, or beginning with ".." outside it. */
const imports = new Map(
  Object.entries(texts).map(([key, text]) => {
    const file = posix.normalize(key);
    const found = [...text.matchAll(/\b(?:from|import)\s*\(?"([#.][^"]+)"/g)].map(
      ([, specifier = ""]) =>
        specifier.startsWith("#") ? specifier.slice(1) : posix.join(posix.dirname(file), specifier),
    );
    return [file, found];
  }),
);

const edges = [...imports].flatMap(([from, found]) => found.map((to) => ({ from, to })));

describe("imports", () => {
  it("never go to a higher layer", () => {
    expect(
      findEdges(({ from, to }) => layerOf(to) < layerOf(from) && !to.startsWith("..")),
    ).toEqual([]);
  });

  it("never go from one feature to another", () => {
    const isFeature = (path: string) => path.startsWith("features/");
    expect(
      findEdges(
        ({ from, to }) => isFeature(from) && isFeature(to) && featureOf(from) !== featureOf(to),
      ),
    ).toEqual([]);
  });

  it("leave src/ only in src/art/, for generated files of art/", () => {
    const leaving = edges.filter(({ to }) => to.startsWith(".."));
    expect(leaving.map(({ to }) => to).sort()).toEqual(
      ["first-pictures.ts", "map.ts", "pictures.css", "pictures.ts", "plans.ts"].map(
        (name) => `../../art/dist/${name}`,
      ),
    );
    expect(leaving.filter(({ from }) => !from.startsWith("art/"))).toEqual([]);
  });

  it("of the desk go only to shared parts of the site", () => {
    const desk: Record<string, string> = import.meta.glob(
      ["../desk/*.{ts,tsx}", "!../desk/*.test.*"],
      { query: "?raw", import: "default", eager: true },
    );
    const used = Object.values(desk).flatMap((text) =>
      [...text.matchAll(/\b(?:from|import) "(#[^"]+)"/g)].map(([, specifier = ""]) => specifier),
    );
    expect(used).not.toEqual([]);
    const shared = /^#(ui|api|styles)\/|^#i18n\/language\.ts$|^#shell\/wordmark\.tsx$/;
    expect(used.filter((specifier) => !shared.test(specifier))).toEqual([]);
  });

  it.each([
    ["pages/home/home-page.tsx", "home"],
    ["pages/floor-plans/floor-plans-page.tsx", "floor-plans"],
  ])("of %s use no texts of another page", async (page, part) => {
    const loaded = await Promise.all(
      ["site", part].map((name) => import(`./i18n/en/${name}.ts`) as Promise<{ texts: object }>),
    );
    const known = loaded.flatMap(({ texts }) => Object.keys(texts));
    const reached = new Set([page]);
    for (const file of reached) {
      for (const to of imports.get(file) ?? []) {
        reached.add(to);
      }
    }
    const used = [...reached].flatMap((file) =>
      [...(texts[`./${file}`] ?? "").matchAll(/\bt\(\s*["`](\w+)\./g)].map(([, key]) => key),
    );
    expect(used).not.toEqual([]);
    expect(used.filter((key) => !known.includes(key as string))).toEqual([]);
  });

  it("form no cycle", () => {
    let rest = [...imports.keys()];
    for (let before = Number.POSITIVE_INFINITY; rest.length < before; ) {
      before = rest.length;
      const between = edges.filter(({ from, to }) => rest.includes(from) && rest.includes(to));
      rest = rest.filter(
        (file) =>
          between.some(({ from }) => from === file) && between.some(({ to }) => to === file),
      );
    }
    expect(rest).toEqual([]);
  });
});

function findEdges(rule: (edge: { from: string; to: string }) => boolean): string[] {
  return edges.filter(rule).map(({ from, to }) => `${from} -> ${to}`);
}

function featureOf(path: string): string | undefined {
  return path.split("/")[1];
}

function layerOf(path: string): number {
  const top = path.split("/")[0] as string;
  const named = layers.findIndex((layer) => layer.includes(top));
  return named >= 0 || path.includes("/") ? named : 0;
}
