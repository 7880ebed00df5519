import { expect, it, vi } from "vitest";
import { fakeApi, json } from "#testing/fake-api.ts";
import { advanceTime, fakeTime } from "#testing/fake-time.ts";
import { browserSession } from "./session.ts";

fakeTime();

const HOUR = 3_600_000;

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
