import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "./post-json.ts";

describe("Retry-After", () => {
  const now = Date.parse("2026-11-20T08:00:00Z");

  it.each([
    ["2", 2_000],
    ["0", 0],
    ["Fri, 20 Nov 2026 08:00:05 GMT", 5_000],
    ["Fri, 20 Nov 2026 07:00:00 GMT", 0],
    ["soon", null],
    [null, null],
  ])("%j is %j", (header, milliseconds) => {
    expect(parseRetryAfter(header, now)).toBe(milliseconds);
  });
});
