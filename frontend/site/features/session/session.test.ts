// @vitest-environment node
import { describe, expect, it, vi } from "vitest";
import { safeStorage } from "#shared/api/key-value-store.ts";
import { settings } from "#site/settings.ts";
import { apiError, fakeApi, json, type Script, type SentCall } from "#site/testing/fake-api.ts";
import { advanceTime, fakeTime } from "#site/testing/fake-time.ts";
import { memoryStorage } from "#site/testing/memory-storage.ts";
import { type Attribution, createSession } from "./session.ts";

fakeTime();

const HOUR = 3_600_000;
const NEW = "/auth/v1/session";
const REFRESH = "/auth/v1/session/refresh";

const firstTouch: Attribution = { landing_path: "/", utm: { source: "newsletter" } };

/** Answers each call with a session of one hour and numbered tokens. */
const hourly = (_call: SentCall, count: number): Script =>
  json(201, {
    access_token: `access-${count}`,
    refresh_token: `refresh-${count}`,
    token_type: "bearer",
    expires_in: 3600,
  });

function openSession(
  answer: (call: SentCall, count: number) => Script = hourly,
  store = memoryStorage(),
  attribution: Attribution = firstTouch,
) {
  const api = fakeApi(answer);
  vi.stubGlobal("fetch", api.fetch);
  const session = createSession(store, attribution);
  return { session, calls: api.calls, paths: () => api.calls.map((call) => call.path) };
}

describe("a token", () => {
  it("comes from a new session that records the first touch", async () => {
    const { session, calls } = openSession();
    expect(await session.token()).toBe("access-1");
    expect(calls[0]?.path).toBe(NEW);
    expect(calls[0]?.headers.get("apikey")).toBe(settings.publicKey);
    expect(calls[0]?.body).toEqual(firstTouch);
  });

  it("tells how long the page was open before the API could be reached", async () => {
    const { session, calls } = openSession((call, count) =>
      count === 1 ? "broken" : hourly(call, count),
    );
    const opened = performance.now();
    expect(await session.token()).toBeNull();
    await advanceTime(95_500);
    await session.token();
    const ages = calls.map(({ headers }) => Number(headers.get("Page-Age")));
    expect(ages).toEqual([opened, opened + 95_500].map((at) => Math.floor(at / 1000)));
  });

  it("is reused while it is fresh, also by other pages", async () => {
    const store = memoryStorage();
    await openSession(hourly, store).session.token();
    const later = openSession(hourly, store);
    expect(await later.session.token()).toBe("access-1");
    expect(later.calls).toHaveLength(0);
  });

  it("is renewed before use when it is about to expire", async () => {
    const { session, calls } = openSession();
    await session.token();
    vi.setSystemTime(Date.now() + HOUR - 30_000);
    expect(await session.token()).toBe("access-2");
    expect(calls[1]?.path).toBe(REFRESH);
    expect(calls[1]?.body).toEqual({ refresh_token: "refresh-1" });
  });

  it("is renewed after the clock was set back", async () => {
    const { session } = openSession();
    await session.token();
    vi.setSystemTime(Date.now() - 1);
    expect(await session.token()).toBe("access-2");
  });

  it("is fetched once for concurrent callers", async () => {
    const { session, calls } = openSession();
    await Promise.all([session.token(), session.token(), session.token()]);
    expect(calls).toHaveLength(1);
  });

  it.each([
    ["a broken network", "broken" as const],
    ["a server error", () => apiError(503, "unavailable")],
    ["an invalid response", () => json(201, { hello: "world" })],
  ])("is absent after %s, and fetched by the next call", async (_title, failure) => {
    const { session } = openSession((call, count) => {
      if (count > 1) {
        return hourly(call, count);
      }
      return typeof failure === "function" ? failure() : failure;
    });
    expect(await session.token()).toBeNull();
    expect(await session.token()).toBe("access-2");
  });

  it("is absent if the server does not respond within five seconds", async () => {
    const { session, calls } = openSession(() => "silent");
    const token = session.token();
    await advanceTime(5_000);
    expect(await token).toBeNull();
    expect(calls[0]?.aborted()).toBe(true);
  });

  it.each(["not json", "null", '{"accessToken":1}'])(
    "is requested if the stored session is invalid: %s",
    async (stored) => {
      const store = memoryStorage();
      store.setItem("zyon-grand.session", stored);
      expect(await openSession(hourly, store).session.token()).toBe("access-1");
    },
  );
});

describe("a rejected token", () => {
  it("is replaced by a refresh", async () => {
    const { session, paths } = openSession();
    await session.token();
    expect(await session.token("access-1")).toBe("access-2");
    expect(paths()).toEqual([NEW, REFRESH]);
  });

  it("is replaced by a new session if the refresh is rejected", async () => {
    const store = memoryStorage();
    await openSession(hourly, store).session.token();
    const { session, calls } = openSession(
      (call, count) =>
        call.path === REFRESH ? apiError(401, "token_invalid") : hourly(call, count),
      store,
      { landing_path: "/later" },
    );
    expect(await session.token("access-1")).toBe("access-2");
    expect(calls.map((call) => call.path)).toEqual([REFRESH, NEW]);
    expect(calls[1]?.body).toEqual(firstTouch);
  });

  it("keeps the refresh token while the server is busy", async () => {
    const { session, paths } = openSession((call, count) =>
      count === 2 ? apiError(429, "rate_limited") : hourly(call, count),
    );
    await session.token();
    expect(await session.token("access-1")).toBeNull();
    expect(await session.token("access-1")).toBe("access-3");
    expect(paths()).toEqual([NEW, REFRESH, REFRESH]);
  });

  it("is replaced by the token that another tab has stored", async () => {
    const store = memoryStorage();
    const first = openSession(hourly, store);
    await first.session.token();
    await openSession((call) => hourly(call, 9), store).session.token("access-1");
    expect(await first.session.token("access-1")).toBe("access-9");
    expect(first.calls).toHaveLength(1);
  });
});

describe("storage that throws", () => {
  it("is replaced by memory", async () => {
    const store = safeStorage(() => {
      throw new DOMException("denied", "SecurityError");
    });
    const { session, calls } = openSession(hourly, store);
    expect(await session.token()).toBe("access-1");
    expect(await session.token()).toBe("access-1");
    expect(calls).toHaveLength(1);
  });

  it("is used again once it works", () => {
    const working = memoryStorage();
    let full = true;
    const store = safeStorage(() => {
      if (full) {
        throw new DOMException("full", "QuotaExceededError");
      }
      return working;
    });
    store.setItem("a", "1");
    expect(store.getItem("a")).toBe("1");
    full = false;
    store.setItem("a", "2");
    expect(working.getItem("a")).toBe("2");
    expect(store.getItem("a")).toBe("2");
  });

  it("removes a value from storage and memory", () => {
    const working = memoryStorage();
    let full = false;
    const store = safeStorage(() => {
      if (full) {
        throw new DOMException("full", "QuotaExceededError");
      }
      return working;
    });
    store.setItem("a", "1");
    full = true;
    store.setItem("a", "2");
    store.removeItem("a");
    expect(store.getItem("a")).toBeNull();
    full = false;
    store.removeItem("a");
    expect(store.getItem("a")).toBeNull();
  });
});

it("two windows refresh one token once", async () => {
  let last: Promise<unknown> = Promise.resolve();
  // Locks as in a browser, which runs one holder after the other.
  const request = <T>(_name: string, run: () => Promise<T>) => {
    const result = last.then(run);
    last = result;
    return result;
  };
  vi.stubGlobal("navigator", { locks: { request } });
  const store = memoryStorage();
  await openSession(hourly, store).session.token();
  vi.setSystemTime(Date.now() + HOUR);
  const { session: first, calls } = openSession(hourly, store);
  const second = createSession(store, firstTouch);
  const tokens = await Promise.all([first.token(), second.token()]);
  expect(new Set(tokens).size).toBe(1);
  expect(calls.map(({ path }) => path)).toEqual([REFRESH]);
  vi.unstubAllGlobals();
});
