import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { apiError, fakeApi, json } from "#site/testing/fake-api.ts";
import { advanceTime, fakeTime } from "#site/testing/fake-time.ts";
import { browserSession } from "./session.ts";

fakeTime();

const HOUR = 3_600_000;

beforeEach(() => {
  window.localStorage.clear();
  vi.spyOn(document, "addEventListener");
});

/** Ends the session of the test, which lives as long as its page. */
afterEach(() => {
  for (const [type, listener] of vi.mocked(document.addEventListener).mock.calls) {
    document.removeEventListener(type, listener as EventListener);
  }
});

it("renews the session before it expires, while the page is visible", async () => {
  const { fetch, calls } = fakeApi((_call, count) =>
    count === 1
      ? "broken"
      : json(201, { access_token: `${count}`, refresh_token: "r", expires_in: 3600 }),
  );
  vi.stubGlobal("fetch", fetch);
  const visibility = vi.spyOn(document, "visibilityState", "get").mockReturnValue("visible");
  browserSession();
  await advanceTime(0);
  expect(calls).toHaveLength(1);
  await advanceTime(30_000);
  expect(calls).toHaveLength(2);
  await advanceTime(HOUR - 60_001);
  expect(calls).toHaveLength(2);
  await advanceTime(30_000);
  expect(calls.map(({ path }) => path)).toEqual([
    "/auth/v1/session",
    "/auth/v1/session",
    "/auth/v1/session/refresh",
  ]);

  visibility.mockReturnValue("hidden");
  await advanceTime(5 * HOUR);
  expect(calls).toHaveLength(3);
  visibility.mockReturnValue("visible");
  document.dispatchEvent(new Event("visibilitychange"));
  await advanceTime(0);
  expect(calls).toHaveLength(4);
});

it("waits longer after each failure, and as long as the API asks for", async () => {
  let answer = () => apiError(503, "unavailable");
  const { fetch, calls } = fakeApi(() => answer());
  vi.stubGlobal("fetch", fetch);
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("visible");
  browserSession();
  const callsAfter = async (milliseconds: number) => {
    await advanceTime(milliseconds);
    document.dispatchEvent(new Event("visibilitychange"));
    await advanceTime(0);
    return calls.length;
  };
  expect(await callsAfter(0)).toBe(1);
  expect(await callsAfter(29_000)).toBe(1);
  expect(await callsAfter(1_000)).toBe(2);
  expect(await callsAfter(59_000)).toBe(2);
  expect(await callsAfter(1_000)).toBe(3);
  await advanceTime(10 * HOUR);
  expect(calls.length).toBeLessThan(50);

  answer = () => apiError(429, "rate_limited", { "Retry-After": "3600" });
  await advanceTime(HOUR);
  const before = calls.length;
  expect(await callsAfter(HOUR / 2)).toBeLessThanOrEqual(before + 1);
});
