import { beforeEach, expect, it, vi } from "vitest";
import { fakeApi, json } from "#site/testing/fake-api.ts";

async function loadReporter(path = "/floor-plans") {
  vi.spyOn(console, "error").mockImplementation(() => {});
  window.history.replaceState(null, "", path);
  const { fetch, calls } = fakeApi(() => json(200, {}));
  vi.stubGlobal("fetch", fetch);
  const { reportError } = await import("./error-reports.ts");
  return { reportError, sent: () => calls.map(({ body }) => body) };
}

beforeEach(() => {
  vi.resetModules();
});

function failure(message: string, line: number): Error {
  const error = new TypeError(message);
  error.stack = `TypeError: ${message}\n    at f (https://a.example/assets/app-1a.js:1:${line})`;
  return error;
}

it("reports kind, class, place and page of an error, no message", async () => {
  const { reportError, sent } = await loadReporter();
  reportError("caught", failure("no wei@example.com in assets/wei@example.com", 22));
  reportError("rejection", "wei@example.com");
  expect(sent()).toEqual([
    { kind: "caught", name: "TypeError", place: "assets/app-1a.js:1:22", page: "floorPlans" },
    { kind: "rejection", name: "other", place: "", page: "floorPlans" },
  ]);
});

it("reports each error once, and at most five errors per page", async () => {
  const { reportError, sent } = await loadReporter("/nowhere");
  for (const line of [1, 1, 2, 3, 4, 5, 6, 7]) {
    reportError("uncaught", failure("x", line));
  }
  expect(sent()).toHaveLength(5);
  expect(sent()[0]).toMatchObject({ page: "notFound" });
});
