import { beforeEach, expect, it } from "vitest";
import { keepLanding, landing } from "./landing.ts";

beforeEach(() => sessionStorage.clear());

it("is the page that was opened first in the tab", () => {
  window.history.replaceState(null, "", "/?utm_source=news");
  keepLanding();
  window.history.replaceState(null, "", "/floor-plans");
  keepLanding();
  window.dispatchEvent(new Event("pagehide"));
  expect(new URL(landing().href).search).toBe("?utm_source=news");
});

it.each(["", "{", "null", '{"href":"nonsense","referrer":""}', '{"href":7,"referrer":""}'])(
  "is this page where %j is kept",
  (kept) => {
    sessionStorage.setItem("zyon-grand.landing", kept);
    expect(landing().href).toBe(window.location.href);
  },
);
