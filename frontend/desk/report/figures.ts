import { stack } from "d3-shape";
import type { Interest } from "#desk/api.ts";
import type { Day } from "./report.ts";

/** The parts of a day's column, from the bottom. Erased leads have no interest. */
export const parts = ["purchase", "showflat", "brochure", "erased"] as const;
export type Part = (typeof parts)[number];

/** A part of a column, in leads. */
export interface Segment {
  part: Part;
  from: number;
  to: number;
}

/** The columns of the days, each with its parts that are not empty. */
export function columnsOf(days: Day[]): { day: Day; segments: Segment[] }[] {
  const series = stack<Day, Part>()
    .keys(parts)
    .value((day, part) => leadsOf(day, part))(days);
  return days.map((day, index) => {
    const segments = series.map((each): Segment => {
      const [from = 0, to = 0] = each[index] ?? [];
      return { part: each.key, from, to };
    });
    return { day, segments: segments.filter(({ from, to }) => to > from) };
  });
}

/** The number of leads in a part of a day's column. */
export function leadsOf({ interests, erased }: Day, part: Part): number {
  return part === "erased" ? erased : leadsFor(interests, part);
}

function leadsFor(interests: Day["interests"], asked: Interest): number {
  return interests.find(({ interest }) => interest === asked)?.leads ?? 0;
}

/** The sum of a number over all days. */
export function total(days: Day[], name: "leads" | "erased" | "canaries" | "spam"): number {
  return days.reduce((sum, day) => sum + day[name], 0);
}

/** A share in whole per cent; `null` of nothing. Only none is 0 %, and only all are 100 %. */
export function percent(part: number, whole: number): number | null {
  if (whole <= 0) {
    return null;
  }
  if (part <= 0 || part >= whole) {
    return part <= 0 ? 0 : 100;
  }
  return Math.min(99, Math.max(1, Math.round((100 * part) / whole)));
}

/** A duration in its two largest units. */
export interface Duration {
  days: number;
  hours: number;
  minutes: number;
}

/** Rounds to minutes, and from a day on to hours. */
export function durationOf(seconds: number): Duration {
  const allMinutes = Math.round(seconds / 60);
  if (allMinutes < 24 * 60) {
    return { days: 0, hours: Math.floor(allMinutes / 60), minutes: allMinutes % 60 };
  }
  const allHours = Math.round(allMinutes / 60);
  return { days: Math.floor(allHours / 24), hours: allHours % 24, minutes: 0 };
}

/** Indexes of the columns with a label, every `step` columns. The last column always has one. */
export function labelled(count: number, step: number): number[] {
  const indexes = [];
  for (let index = count - 1; index >= 0; index -= Math.max(1, step)) {
    indexes.unshift(index);
  }
  return indexes;
}
