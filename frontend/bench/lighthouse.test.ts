// @vitest-environment node
import { expect, it } from "vitest";
import { figuresOf, type LighthouseReport } from "./lighthouse.mjs";

const timed = (numericValue: number) => ({ numericValue });
const request = (resourceType: string, transferSize: number, url = "http://site.invalid/") => ({
  resourceType,
  transferSize,
  url,
});

const report: LighthouseReport = {
  lighthouseVersion: "12.0.0",
  environment: { benchmarkIndex: 1000, hostUserAgent: "" },
  categories: { performance: { score: 0.97 } },
  audits: {
    "first-contentful-paint": timed(1),
    "largest-contentful-paint": timed(2),
    "speed-index": timed(3),
    interactive: timed(4),
    "total-blocking-time": timed(0),
    "cumulative-layout-shift": timed(0.01),
    "mainthread-work-breakdown": {
      numericValue: 90,
      details: {
        items: [
          { group: "scriptEvaluation", duration: 30 },
          { group: "styleLayout", duration: 50 },
          { group: "scriptParseCompile", duration: 10 },
        ],
      },
    },
    "network-requests": {
      details: {
        items: [
          request("Document", 2000),
          request("Script", 3000),
          request("Script", 500),
          request("Fetch", 100),
          request("Image", 9000, "data:image/png;base64,"),
        ],
      },
    },
  },
};

it("reads what the table shows", () => {
  const values = figuresOf(report).map(({ name, value }) => [name, value]);
  expect(Object.fromEntries(values)).toEqual({
    "Lighthouse performance score": 97,
    "first contentful paint": 1,
    "largest contentful paint": 2,
    "speed index": 3,
    "time to interactive": 4,
    "total blocking time": 0,
    "main thread, total": 90,
    "main thread, scripting": 40,
    "layout shift": 0.01,
    requests: 4,
    "transfer size": 5.6,
    "transfer size, documents": 2,
    "transfer size, scripts": 3.5,
    "transfer size, styles": 0,
    "transfer size, fonts": 0,
    "transfer size, images": 0,
    "transfer size, other": 0.1,
  });
});

it("says what a report lacks", () => {
  const { "speed-index": _, ...audits } = report.audits;
  expect(() => figuresOf({ ...report, audits })).toThrow("no speed-index");
  const unscored = { ...report, categories: { performance: { score: null } } };
  expect(() => figuresOf(unscored)).toThrow("no score");
});
