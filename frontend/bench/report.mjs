/**
 * One measurement.
 * @typedef {object} Figure
 * @property {string} name
 * @property {keyof typeof digits} unit
 * @property {number} value
 */

/**
 * The figures of each round.
 * @typedef {{ ours: Figure[][], inBrowser: Figure[][] }} Rounds
 */

const digits = { ms: 0, KB: 1, points: 0, shift: 3, "": 0 };
/** Units whose figures are compared by their difference. */
const differing = ["points", "shift"];

/** @param {number[]} values at least one */
export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * One row for each figure: place, name, ours, client-rendered, comparison, and "worse" where ours loses.
 * @param {string} where
 * @param {Rounds} rounds
 */
export function rowsOf(where, { ours, inBrowser }) {
  return (ours[0] ?? []).map(({ name, unit }, index) => {
    const valuesOf = (/** @type {Figure[][]} */ rounds) =>
      rounds.map((figures) => figures[index]?.value ?? Number.NaN);
    const [left, right] = [valuesOf(ours), valuesOf(inBrowser)];
    return [
      where,
      ["", "points", "shift"].includes(unit) ? name : `${name}, ${unit}`,
      spread(left, digits[unit]),
      spread(right, digits[unit]),
      ...comparison(median(left), median(right), unit),
    ];
  });
}

/**
 * The median, with the lowest and highest in brackets where they differ.
 * @param {number[]} values
 * @param {number} places
 */
function spread(values, places) {
  const [middle, lowest, highest] = [median(values), Math.min(...values), Math.max(...values)].map(
    (value) => value.toFixed(places),
  );
  return lowest === highest ? `${middle}` : `${middle} (${lowest}–${highest})`;
}

/**
 * @param {number} ours
 * @param {number} inBrowser
 * @param {Figure["unit"]} unit
 * @returns {[comparison: string, verdict: string]} the verdict follows the rounded comparison
 */
function comparison(ours, inBrowser, unit) {
  if (differing.includes(unit)) {
    const difference = ours - inBrowser;
    const size = Math.abs(difference).toFixed(digits[unit]);
    const isLower = difference < 0;
    const isWorse = Number(size) > 0 && isLower === (unit === "points");
    return [`${isLower ? "−" : "+"}${size}`, isWorse ? "worse" : ""];
  }
  if (ours === inBrowser) {
    return ["1.00", ""];
  }
  if (inBrowser === 0) {
    return ["", "worse"];
  }
  const ratio = (ours / inBrowser).toFixed(2);
  return [ratio, Number(ratio) > 1 ? "worse" : ""];
}

/**
 * A Markdown table with aligned columns.
 * @param {string[][]} rows the first is the head
 */
export function tableOf(rows) {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
  const lines = rows.map((row) =>
    line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))),
  );
  return [lines[0], line(widths.map((width) => "-".repeat(width))), ...lines.slice(1)].join("\n");
}
