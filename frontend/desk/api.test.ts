import { afterEach, expect, test, vi } from "vitest";
import { api } from "./api.ts";

function respondWith(answer: Response | Error) {
  vi.stubGlobal("fetch", async () => {
    if (answer instanceof Error) {
      throw answer;
    }
    return answer;
  });
}

afterEach(() => vi.unstubAllGlobals());

test("a response that is not JSON is an error", async () => {
  respondWith(new Response("<html>Log in to the hotel's network</html>"));
  await expect(api.me()).rejects.toMatchObject({ code: "unavailable" });
  respondWith(new Response(null, { status: 204 }));
  await expect(api.logOut(false)).resolves.toBeNull();
});

test("an error has the server's code and Retry-After", async () => {
  const headers = { "Retry-After": "120" };
  respondWith(Response.json({ error: { code: "rate_limited" } }, { status: 429, headers }));
  const limited = { code: "rate_limited", retryAfterSeconds: 120 };
  await expect(api.me()).rejects.toMatchObject(limited);
  respondWith(new TypeError("Failed to fetch"));
  await expect(api.me()).rejects.toMatchObject({ code: "unreachable" });
});
