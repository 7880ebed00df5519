import { expect, it, vi } from "vitest";
import { fakeApi, json } from "#testing/fake-api.ts";
import { pass, stopTime } from "#testing/fake-time.ts";
import { browserSession } from "./session.ts";

stopTime();

const HOUR = 3_600_000;

it("is renewed before it expires while the page is visible", async () => {
  const { fetch, calls } = fakeApi((_call, count) =>
    count === 1
      ? "broken"
      : json(201, { access_token: `${count}`, refresh_token: "r", expires_in: 3600 }),
  );
  vi.stubGlobal("fetch", fetch);
  const visibility = vi.spyOn(document, "visibilityState", "get").mockReturnValue("visible");
  browserSession();
  await pass(0);
  expect(calls).toHaveLength(1);
  await pass(30_000);
  expect(calls).toHaveLength(2);
  await pass(HOUR - 60_001);
  expect(calls).toHaveLength(2);
  await pass(30_000);
  expect(calls.map(({ path }) => path)).toEqual([
    "/auth/v1/session",
    "/auth/v1/session",
    "/auth/v1/session/refresh",
  ]);

  visibility.mockReturnValue("hidden");
  await pass(5 * HOUR);
  expect(calls).toHaveLength(3);
  visibility.mockReturnValue("visible");
  document.dispatchEvent(new Event("visibilitychange"));
  await pass(0);
  expect(calls).toHaveLength(4);
});
