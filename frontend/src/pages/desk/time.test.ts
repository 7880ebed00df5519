import { expect, test } from "vitest";
import { inWords, tomorrowAtTen } from "./time.ts";

const now = new Date(2026, 10, 30, 23, 5);

test("the year is said where it is another", () => {
  expect(inWords(now.toISOString(), "en", now)).toBe("Mon, 30 Nov, 23:05");
  expect(inWords(new Date(2027, 0, 4, 9).toISOString(), "en", now)).toBe("Mon, 4 Jan 2027, 09:00");
  expect(inWords(now.toISOString(), "zh", now)).toBe("11月30日周一 23:05");
});

test("tomorrow may be next month", () => {
  expect(tomorrowAtTen(now)).toBe(new Date(2026, 11, 1, 10).toISOString());
});
