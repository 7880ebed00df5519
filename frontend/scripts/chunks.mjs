import { resolve } from "node:path";

/** @typedef {{ getModuleInfo: (id: string) => { importedIds: string[] } | null }} Graph */

const source = (/** @type {string} */ path) => resolve(import.meta.dirname, "../site", path);

/**
 * The name of a module's chunk, or `null` for the automatic one: each entry, page, and part of the texts is a chunk.
 * `libraries` changes only with their versions, and `site` has everything else that each page or both pages need. So a
 * page needs six files, which its document lists.
 * @param {string} id
 * @param {Graph} graph
 */
export function chunkOf(id, graph) {
  const isIn = (/** @type {string} */ path) => importsOf(source(path), graph).has(id);
  const isShared =
    isIn("entry-client.tsx") ||
    (isIn("pages/home/home-page.tsx") && isIn("pages/floor-plans/floor-plans-page.tsx"));
  if (isIn("boot.ts") || !isShared) {
    return null;
  }
  return id.includes("/node_modules/") ? "libraries" : "site";
}

/**
 * The module and everything that it imports, without `import()`.
 * @param {string} id
 * @param {Graph} graph
 * @param {Set<string>} found
 */
function importsOf(id, graph, found = new Set()) {
  if (!found.has(id)) {
    found.add(id);
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) {
      importsOf(imported, graph, found);
    }
  }
  return found;
}
