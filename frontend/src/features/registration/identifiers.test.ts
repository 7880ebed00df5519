import { describe, expect, it } from "vitest";
import { browserRandomBytes, traceId, traceparent, uuid } from "./identifiers.ts";

describe("identifiers", () => {
  it("sets version and variant of a UUID, whatever the bytes", () => {
    expect(uuid((length) => new Uint8Array(length).fill(0xff))).toBe(
      "ffffffff-ffff-4fff-bfff-ffffffffffff",
    );
    expect(uuid((length) => new Uint8Array(length))).toBe("00000000-0000-4000-8000-000000000000");
  });

  it("makes a new UUID each time", () => {
    const made = new Set(Array.from({ length: 100 }, () => uuid(browserRandomBytes)));
    expect(made.size).toBe(100);
  });

  it("writes a trace context that is well formed, and never all zero", () => {
    const zeros = (length: number) => new Uint8Array(length);
    expect(traceparent(traceId(zeros), zeros)).toBe(
      "00-00000000000000000000000000000001-0000000000000001-01",
    );
    expect(traceparent(traceId(browserRandomBytes), browserRandomBytes)).toMatch(
      /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/,
    );
  });
});
