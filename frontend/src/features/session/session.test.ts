// @vitest-environment node
import { describe, expect, it, vi } from "vitest";
import { safeStorage } from "#api/key-value-store.ts";
import { settings } from "#settings.ts";
import { apiError, fakeApi, json, type Script, type SentCall } from "#testing/fake-api.ts";
import { pass, stopTime } from "#testing/fake-time.ts";
import { memoryStorage } from "#testing/memory-storage.ts";
import { type Attribution, createSession } from "./session.ts";

stopTime();

const HOUR = 3_600_000;
const NEW = "/auth/v1/session";
const REFRESH = "/auth/v1/session/refresh";

const firstTouch: Attribution = { landing_path: "/", utm: { source: "newsletter" } };

/** Answers every call with a session that lives an hour; tokens are numbered. */
const hourly = (_call: SentCall, count: number): Script =>
  json(201, {
    access_token: `access-${count}`,
    refresh_token: `refresh-${count}`,
    token_type: "bearer",
    expires_in: 3600,
  });

function open(
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
  it("comes from a new session, with the public key and the first touch", async () => {
    const { session, calls } = open();
    expect(await session.token()).toBe("access-1");
    expect(calls[0]?.path).toBe(NEW);
    expect(calls[0]?.headers.get("apikey")).toBe(settings.publicKey);
    expect(calls[0]?.body).toEqual(firstTouch);
  });

  it("is used again while it is fresh, by other pages of the browser too", async () => {
    const store = memoryStorage();
    await open(hourly, store).session.token();
    const later = open(hourly, store);
    expect(await later.session.token()).toBe("access-1");
    expect(later.calls).toHaveLength(0);
  });

  it("is renewed before use when it is about to expire", async () => {
    const { session, calls } = open();
    await session.token();
    vi.setSystemTime(Date.now() + HOUR - 30_000);
    expect(await session.token()).toBe("access-2");
    expect(calls[1]?.path).toBe(REFRESH);
    expect(calls[1]?.body).toEqual({ refresh_token: "refresh-1" });
  });

  it("is renewed when the clock was set back and nothing can be known", async () => {
    const { session } = open();
    await session.token();
    vi.setSystemTime(Date.now() - 1);
    expect(await session.token()).toBe("access-2");
  });

  it("is fetched once, however many ask", async () => {
    const { session, calls } = open();
    await Promise.all([session.token(), session.token(), session.token()]);
    expect(calls).toHaveLength(1);
  });

  it.each([
    ["a broken network", "broken" as const],
    ["a server error", () => apiError(503, "unavailable")],
    ["an answer that is no session", () => json(201, { hello: "world" })],
  ])("is absent after %s, and had at the next asking", async (_title, failure) => {
    const { session } = open((call, count) => {
      if (count > 1) {
        return hourly(call, count);
      }
      return typeof failure === "function" ? failure() : failure;
    });
    expect(await session.token()).toBeNull();
    expect(await session.token()).toBe("access-2");
  });

  it("is absent when the server stays silent for five seconds", async () => {
    const { session, calls } = open(() => "silent");
    const token = session.token();
    await pass(5_000);
    expect(await token).toBeNull();
    expect(calls[0]?.aborted()).toBe(true);
  });

  it.each(["not json", "null", '{"accessToken":1}'])(
    "ignores stored nonsense: %s",
    async (stored) => {
      const store = memoryStorage();
      store.setItem("zyon-grand.session", stored);
      expect(await open(hourly, store).session.token()).toBe("access-1");
    },
  );
});

describe("a refused token", () => {
  it("is replaced by refreshing", async () => {
    const { session, paths } = open();
    await session.token();
    expect(await session.token("access-1")).toBe("access-2");
    expect(paths()).toEqual([NEW, REFRESH]);
  });

  it("is replaced by a new session with the old first touch when the refresh is refused", async () => {
    const store = memoryStorage();
    await open(hourly, store).session.token();
    const { session, calls } = open(
      (call, count) =>
        call.path === REFRESH ? apiError(401, "token_invalid") : hourly(call, count),
      store,
      { landing_path: "/later" },
    );
    expect(await session.token("access-1")).toBe("access-2");
    expect(calls.map((call) => call.path)).toEqual([REFRESH, NEW]);
    expect(calls[1]?.body).toEqual(firstTouch);
  });

  it("does not throw the refresh token away because the server is busy", async () => {
    const { session, paths } = open((call, count) =>
      count === 2 ? apiError(429, "rate_limited") : hourly(call, count),
    );
    await session.token();
    expect(await session.token("access-1")).toBeNull();
    expect(await session.token("access-1")).toBe("access-3");
    expect(paths()).toEqual([NEW, REFRESH, REFRESH]);
  });

  it("is replaced by what another tab has stored meanwhile", async () => {
    const store = memoryStorage();
    const first = open(hourly, store);
    await first.session.token();
    await open((call) => hourly(call, 9), store).session.token("access-1");
    expect(await first.session.token("access-1")).toBe("access-9");
    expect(first.calls).toHaveLength(1);
  });
});

describe("storage that throws", () => {
  it("is replaced by memory", async () => {
    const store = safeStorage(() => {
      throw new DOMException("denied", "SecurityError");
    });
    const { session, calls } = open(hourly, store);
    expect(await session.token()).toBe("access-1");
    expect(await session.token()).toBe("access-1");
    expect(calls).toHaveLength(1);
  });

  it("is used again once it works", () => {
    const works = memoryStorage();
    let full = true;
    const store = safeStorage(() => {
      if (full) {
        throw new DOMException("full", "QuotaExceededError");
      }
      return works;
    });
    store.setItem("a", "1");
    expect(store.getItem("a")).toBe("1");
    full = false;
    store.setItem("a", "2");
    expect(works.getItem("a")).toBe("2");
    expect(store.getItem("a")).toBe("2");
  });

  it("forgets what is removed, wherever it was", () => {
    const works = memoryStorage();
    let full = false;
    const store = safeStorage(() => {
      if (full) {
        throw new DOMException("full", "QuotaExceededError");
      }
      return works;
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
