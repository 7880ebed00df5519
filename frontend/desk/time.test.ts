import { expect, test } from "vitest";
import {
  age,
  clockIn,
  daysBetween,
  daysUntil,
  inDayAndHour,
  inDays,
  instantIn,
  inWords,
  weekendVisits,
  zoneName,
} from "./time.ts";

const SINGAPORE = "Asia/Singapore";
const NEW_YORK = "America/New_York";
/** 23:05 in Singapore, 10:05 in New York. */
const now = new Date("2026-11-30T15:05:30Z");

test("times are in the zone, with the year if it is another", () => {
  const at = now.toISOString();
  expect(inWords(at, "en", SINGAPORE, now)).toBe("Mon, 30 Nov, 23:05");
  expect(inWords(at, "en", NEW_YORK, now)).toBe("Mon, 30 Nov, 10:05");
  expect(inWords(at, "zh", SINGAPORE, now)).toBe("11月30日周一 23:05");
  const newYear = "2026-12-31T16:30:00Z";
  expect(inWords(newYear, "en", SINGAPORE, now)).toBe("Fri, 1 Jan 2027, 00:30");
  expect(inWords(newYear, "en", NEW_YORK, now)).toBe("Thu, 31 Dec, 11:30");
});

test.each([
  [
    "Saturday",
    "2026-11-28T02:00:00Z",
    ["Sun 29, 11:00", "Sun 29, 15:00", "Sat 5, 11:00", "Sat 5, 15:00"],
  ],
  [
    "Sunday",
    "2026-11-29T02:00:00Z",
    ["Sat 5, 11:00", "Sat 5, 15:00", "Sun 6, 11:00", "Sun 6, 15:00"],
  ],
])("on a %s, visits are in order of time", (_, today, expected) => {
  const visits = weekendVisits(SINGAPORE, new Date(today));
  expect(visits.map((at) => inDayAndHour(at, "en", SINGAPORE))).toEqual(expected);
});

test("a visit has day and hour in Chinese", () => {
  expect(inDayAndHour("2026-11-29T03:00:00Z", "zh", SINGAPORE)).toBe("29日周日 11:00");
});

test("a zone has a name in both languages", () => {
  expect(zoneName(SINGAPORE, "en")).toBe("Singapore Time");
  expect(zoneName(SINGAPORE, "zh")).toBe("新加坡时间");
});

test("a typed time is in the zone", () => {
  expect(clockIn(SINGAPORE, now)).toBe("2026-11-30T23:05");
  expect(instantIn(SINGAPORE, "2026-11-30T23:05")).toBe("2026-11-30T15:05:00.000Z");
  // The last hour before a clock change in New York, and the first after it, in spring and autumn.
  for (const [clock, instant] of [
    ["2026-03-08T01:59", "2026-03-08T06:59:00.000Z"],
    ["2026-03-08T03:00", "2026-03-08T07:00:00.000Z"],
    ["2026-11-01T00:59", "2026-11-01T04:59:00.000Z"],
    ["2026-11-01T02:00", "2026-11-01T07:00:00.000Z"],
  ] as const) {
    expect(instantIn(NEW_YORK, clock)).toBe(instant);
    expect(clockIn(NEW_YORK, new Date(instant))).toBe(clock);
  }
});

test("tomorrow is in the zone, also at the end of a month", () => {
  expect(inDays(SINGAPORE, 1, 10, now)).toBe("2026-12-01T02:00:00.000Z");
  expect(inDays(SINGAPORE, 1, 10, new Date("2026-11-30T16:05:00Z"))).toBe(
    "2026-12-02T02:00:00.000Z",
  );
  expect(inDays(SINGAPORE, 1, 0, now)).toBe("2026-11-30T16:00:00.000Z");
});

test("the next Monday is never today", () => {
  expect(daysUntil(SINGAPORE, 1, now)).toBe(7);
  expect(daysUntil(SINGAPORE, 0, now)).toBe(6);
  // It is already Tuesday in Singapore.
  expect(daysUntil(SINGAPORE, 1, new Date("2026-11-30T16:05:00Z"))).toBe(6);
});

test("an age has its largest unit", () => {
  const minutesAgo = (minutes: number) =>
    age(new Date(now.getTime() - minutes * 60_000).toISOString(), "en", now.getTime());
  expect([0, 59, 60, 1439, 1440, 4000].map(minutesAgo)).toEqual([
    "0m",
    "59m",
    "1h",
    "23h",
    "1d",
    "2d",
  ]);
});

test("a period without start or end names the other", () => {
  const [from, before] = ["2026-10-30T16:00:00Z", "2026-11-28T16:00:00Z"];
  expect(daysBetween(from, before, "en", SINGAPORE)).toBe("31 Oct – 28 Nov 2026");
  expect(daysBetween(from, "2026-10-31T16:00:00Z", "en", SINGAPORE)).toBe("31 Oct 2026");
  expect(daysBetween(from, before, "zh", SINGAPORE)).toBe("2026年10月31日 – 11月28日");
  const newYear = "2026-12-31T16:00:01Z";
  expect(daysBetween(from, newYear, "en", SINGAPORE)).toBe("31 Oct 2026 – 1 Jan 2027");
  expect(daysBetween(from, undefined, "en", SINGAPORE)).toBe("31 Oct 2026 –");
  expect(daysBetween(undefined, before, "en", SINGAPORE)).toBe("– 28 Nov 2026");
  expect(daysBetween(undefined, undefined, "en", SINGAPORE)).toBeUndefined();
});
