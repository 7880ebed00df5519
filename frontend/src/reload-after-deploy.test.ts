import { beforeEach, describe, expect, it, vi } from "vitest";
import { memoryStorage } from "#testing/memory-storage.ts";
import { deployWatch } from "./reload-after-deploy.ts";

const documentOf = (entry: string) =>
  `<head><script type="module" crossorigin src="${entry}"></script></head>`;

const reload = vi.fn();

beforeEach(() => reload.mockReset());

/** A page of the build `old`, on a server that answers with a document. */
function page(document: () => Promise<string>, storage = memoryStorage()) {
  return deployWatch({
    entry: "/assets/old.js",
    fetchDocument: document,
    storage: () => storage,
    reload,
  });
}

const replaced = async () => documentOf("/assets/new.js");

describe("a chunk that cannot be loaded", () => {
  it("reloads the document after a deploy", async () => {
    await page(replaced).chunkFailed();
    expect(reload).toHaveBeenCalledOnce();
  });

  it("reloads away from a build only once, also where an old server still answers at times", async () => {
    const storage = memoryStorage();
    await page(replaced, storage).chunkFailed();
    await page(replaced, storage).chunkFailed();
    expect(reload).toHaveBeenCalledOnce();
  });

  it.each([
    ["without a network", () => Promise.reject(new TypeError("Failed to fetch"))],
    ["while the build is still the server's", async () => documentOf("/assets/old.js")],
    ["for a stranger's page", async () => "<title>Welcome to the train</title>"],
  ])("reloads nothing %s", async (_case, document) => {
    await page(document).chunkFailed();
    expect(reload).not.toHaveBeenCalled();
  });

  it("reloads nothing without storage, where what was typed would be lost", async () => {
    const watch = deployWatch({
      entry: "/assets/old.js",
      fetchDocument: replaced,
      storage: () => {
        throw new DOMException("denied", "SecurityError");
      },
      reload,
    });
    await watch.chunkFailed();
    expect(reload).not.toHaveBeenCalled();
  });

  it("is left to a caller that has a way of its own", async () => {
    const watch = page(replaced);
    const load = watch.suppressReload(async () => {
      await watch.chunkFailed();
      throw new TypeError("Failed to fetch dynamically imported module");
    });
    await expect(load).rejects.toThrow("dynamically imported");
    expect(reload).not.toHaveBeenCalled();
    await watch.chunkFailed();
    expect(reload).toHaveBeenCalledOnce();
  });
});
