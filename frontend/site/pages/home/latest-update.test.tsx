import { act, render } from "@testing-library/react";
import { renderToString } from "react-dom/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { dayInWords, localDay, useToday } from "./latest-update.tsx";

afterEach(() => {
  vi.useRealTimers();
});

describe("today", () => {
  it("is the day of the build in the prerendered document", () => {
    expect(renderToString(<Today />)).toBe(import.meta.env["BUILD_DAY"]);
  });

  it("is updated when a page that was open overnight becomes visible", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 20, 23, 50) });
    const { container } = render(<Today />);
    expect(container.textContent).toBe("2026-11-20");
    vi.setSystemTime(new Date(2026, 10, 21, 7, 30));
    act(() => void document.dispatchEvent(new Event("visibilitychange")));
    expect(container.textContent).toBe("2026-11-21");
  });
});

describe("a page that stays open", () => {
  it("changes its date at each midnight", () => {
    vi.useFakeTimers({ now: new Date(2026, 10, 20, 23, 59, 58) });
    const { container, unmount } = render(<Today />);
    act(() => void vi.advanceTimersByTime(1_999));
    expect(container.textContent).toBe("2026-11-20");
    act(() => void vi.advanceTimersByTime(1));
    expect(container.textContent).toBe("2026-11-21");
    act(() => void vi.advanceTimersByTime(24 * 3_600_000));
    expect(container.textContent).toBe("2026-11-22");
    unmount();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the visitor's day", () => {
  it.each([
    ["Honolulu", -10, "2026-12-31"],
    ["London", 0, "2026-12-31"],
    ["Singapore", 8, "2027-01-01"],
    ["Auckland", 13, "2027-01-01"],
  ])("follows the clock in %s", (_city, hoursEast, day) => {
    expect(localDay(new ClockIn(hoursEast, "2026-12-31T18:30:00Z"))).toBe(day);
  });

  it("has two digits for month and day", () => {
    expect(localDay(new Date(2026, 2, 5, 23, 59))).toBe("2026-03-05");
  });
});

describe("a day in words", () => {
  it.each([
    ["2026-11-20", "20 Nov 2026", "2026年11月20日"],
    ["2026-09-05", "5 Sep 2026", "2026年9月5日"],
    ["2027-01-01", "1 Jan 2027", "2027年1月1日"],
    ["2026-06-30", "30 Jun 2026", "2026年6月30日"],
  ])("%s is %s and %s", (day, en, zh) => {
    expect(dayInWords(day, "en")).toBe(en);
    expect(dayInWords(day, "zh")).toBe(zh);
  });
});

function Today() {
  return useToday();
}

/** A date with the local time of a given zone, whatever the zone of the machine. */
class ClockIn extends Date {
  readonly #local: Date;

  constructor(hoursEast: number, instant: string) {
    super(instant);
    this.#local = new Date(this.getTime() + hoursEast * 3_600_000);
  }

  override getFullYear() {
    return this.#local.getUTCFullYear();
  }

  override getMonth() {
    return this.#local.getUTCMonth();
  }

  override getDate() {
    return this.#local.getUTCDate();
  }
}
