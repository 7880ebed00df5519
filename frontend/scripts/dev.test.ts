// @vitest-environment node
import { resolve } from "node:path";
import { createServer } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";

const server = await createServer({
  root: resolve(import.meta.dirname, ".."),
  mode: "development",
  logLevel: "error",
  server: { port: 0, host: "127.0.0.1" },
});

beforeAll(() => server.listen());
afterAll(() => server.close());

it.each([
  ["/", "Register your Interest Now"],
  ["/?lang=zh", "立即登记意向"],
  ["/floor-plans?lang=zh-CN", "平面图"],
])("the development server renders %s", async (path, text) => {
  const [origin = ""] = server.resolvedUrls?.local ?? [];
  const response = await fetch(new URL(path, origin));
  const html = await response.text();
  expect(response.status).toBe(200);
  expect(html).toContain(text);
  expect(html).toContain("/site/boot.ts");
});

it("the development server renders the desk", async () => {
  const [origin = ""] = server.resolvedUrls?.local ?? [];
  const html = await (await fetch(new URL("/desk/", origin))).text();
  expect(html).toContain("main.tsx");
  // A browser's translator would send leads to its server.
  expect(html).toContain('translate="no"');
});
