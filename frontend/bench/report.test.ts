import { describe, expect, it } from "vitest";
import { median, rowsOf, tableOf } from "./report.mjs";

describe("the table", () => {
  it("has the median, and the range where there is one", () => {
    const paint = (value: number) => [{ name: "paint", unit: "ms" as const, value }];
    const ours = [500.2, 510, 400].map(paint);
    const inBrowser = [1000, 1000, 1000].map(paint);
    expect(rowsOf("/", { ours, inBrowser })).toEqual([
      ["/", "paint, ms", "500 (400–510)", "1000", "0.50", ""],
    ]);
  });

  it("compares points and shifts by their difference", () => {
    const figures = (points: number, shift: number) => [
      [
        { name: "score", unit: "points" as const, value: points },
        { name: "layout shift", unit: "shift" as const, value: shift },
      ],
    ];
    const rows = rowsOf("/", { ours: figures(98, 0.001), inBrowser: figures(80, 0.25) });
    expect(rows.map((row) => row.slice(1))).toEqual([
      ["score", "98", "80", "+18", ""],
      ["layout shift", "0.001", "0.250", "−0.249", ""],
    ]);
  });

  it("marks figures in which ours is worse", () => {
    const verdict = (unit: "KB" | "points" | "shift", ours: number, inBrowser: number) => {
      const rounds = (value: number) => [[{ name: "figure", unit, value }]];
      return rowsOf("/", { ours: rounds(ours), inBrowser: rounds(inBrowser) })[0]?.at(-1);
    };
    expect([verdict("points", 80, 98), verdict("points", 98, 98)]).toEqual(["worse", ""]);
    expect([verdict("shift", 0.25, 0), verdict("shift", 0, 0.25)]).toEqual(["worse", ""]);
    expect([verdict("KB", 103, 100), verdict("KB", 100.1, 100)]).toEqual(["worse", ""]);
    expect(verdict("KB", 1, 0)).toBe("worse");
  });

  it("has no ratio to nothing, but to the same", () => {
    const blocking = (value: number) => [[{ name: "blocking", unit: "ms" as const, value }]];
    const ratio = (ours: number, inBrowser: number) =>
      rowsOf("/", { ours: blocking(ours), inBrowser: blocking(inBrowser) })[0]?.at(4);
    expect([ratio(0, 0), ratio(3, 0), ratio(0, 3)]).toEqual(["1.00", "", "0.00"]);
  });

  it("is aligned", () => {
    const rows = [
      ["a", "figure"],
      ["long", "1"],
    ];
    expect(tableOf(rows)).toBe(
      ["| a    | figure |", "| ---- | ------ |", "| long | 1      |"].join("\n"),
    );
  });
});

it("the median of an even number lies between the middle two", () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 10])]).toEqual([2, 3]);
});
