import { expect, it, vi } from "vitest";
import { errorReports } from "./error-reports.ts";

function open(path = "/floor-plans") {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const sent: unknown[] = [];
  const reports = errorReports({ send: (body) => sent.push(JSON.parse(body)), path: () => path });
  return { reports, sent };
}

function failure(message: string, line: number): Error {
  const error = new TypeError(message);
  error.stack = `TypeError: ${message}\n    at f (https://a.example/assets/app-1a.js:1:${line})`;
  return error;
}

it("a report has kind, class, place and page, and nothing of the message", () => {
  const { reports, sent } = open();
  reports.report("caught", failure("no wei@example.com in assets/wei@example.com", 22));
  reports.report("rejection", "wei@example.com");
  expect(sent).toEqual([
    { kind: "caught", name: "TypeError", place: "assets/app-1a.js:1:22", page: "floorPlans" },
    { kind: "rejection", name: "other", place: "", page: "floorPlans" },
  ]);
});

it("the same error is reported once, and a page reports five at most", () => {
  const { reports, sent } = open("/nowhere");
  for (const line of [1, 1, 2, 3, 4, 5, 6, 7]) {
    reports.report("uncaught", failure("x", line));
  }
  expect(sent).toHaveLength(5);
  expect(sent[0]).toMatchObject({ page: "notFound" });
});
