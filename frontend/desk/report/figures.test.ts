import { expect, test } from "vitest";
import { columnsOf, durationOf, labelled, leadsOf, percent, total } from "./figures.ts";
import type { Day } from "./report.ts";

function day(purchase: number, showflat: number, brochure: number, erased: number): Day {
  return {
    day: "2026-11-29",
    from: "2026-11-28T16:00:00Z",
    before: "2026-11-29T16:00:00Z",
    is_unfinished: true,
    leads: purchase + showflat + brochure + erased,
    interests: [
      { interest: "purchase", leads: purchase },
      { interest: "showflat", leads: showflat },
      { interest: "brochure", leads: brochure },
    ],
    erased,
    canaries: 288,
    spam: 2,
  };
}

test("the parts of a column stand on each other and add up to all leads", () => {
  const [first, second] = columnsOf([day(5, 4, 2, 1), day(0, 3, 0, 0)]);
  expect(first?.segments).toEqual([
    { part: "purchase", from: 0, to: 5 },
    { part: "showflat", from: 5, to: 9 },
    { part: "brochure", from: 9, to: 11 },
    { part: "erased", from: 11, to: 12 },
  ]);
  expect(first?.segments.at(-1)?.to).toBe(first?.day.leads);
  expect(second?.segments).toEqual([{ part: "showflat", from: 0, to: 3 }]);
});

test("a column without leads has no parts", () => {
  expect(columnsOf([day(0, 0, 0, 0)]).map(({ segments }) => segments)).toEqual([[]]);
  expect(columnsOf([])).toEqual([]);
});

test("numbers of days are summed", () => {
  const days = [day(5, 4, 2, 1), day(0, 3, 0, 0)];
  expect(total(days, "leads")).toBe(15);
  expect(total(days, "erased")).toBe(1);
  expect(total(days, "canaries")).toBe(576);
  expect(total([], "spam")).toBe(0);
  expect(leadsOf(day(5, 4, 2, 1), "showflat")).toBe(4);
});

test("only none is 0 % and only all are 100 %", () => {
  expect(percent(66, 120)).toBe(55);
  expect(percent(1, 5000)).toBe(1);
  expect(percent(4999, 5000)).toBe(99);
  expect(percent(0, 5)).toBe(0);
  expect(percent(5, 5)).toBe(100);
  expect(percent(0, 0)).toBeNull();
});

test("a duration has at most two units", () => {
  const parts = (seconds: number) => Object.values(durationOf(seconds));
  expect(parts(20)).toEqual([0, 0, 0]);
  expect(parts(5400)).toEqual([0, 1, 30]);
  expect(parts(86_399)).toEqual([1, 0, 0]);
  expect(parts(93_600)).toEqual([1, 2, 0]);
});

test("the last column has a label, and others keep their distance", () => {
  expect(labelled(7, 1)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(labelled(30, 7)).toEqual([1, 8, 15, 22, 29]);
  expect(labelled(0, 3)).toEqual([]);
});
