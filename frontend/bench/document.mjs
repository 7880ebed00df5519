import { cpus, release, totalmem, type } from "node:os";

/**
 * What was measured, and on what.
 * @typedef {object} Measured
 * @property {string} table
 * @property {number} count how often each figure was measured
 * @property {string} lighthouse its version
 * @property {string} browser its version
 * @property {number} speed of the processor, by Lighthouse's own benchmark
 * @property {string} encoding how the documents travel
 */

/**
 * The page of the documentation that shows the table.
 * @param {Measured} measured
 * @param {Date} now
 */
export function documentOf({ table, count, lighthouse, browser, speed, encoding }, now) {
  const processors = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(1);
  return `# The site, against itself rendered in the browser

Made by \`cargo xtask bench --site\` on ${now.toISOString().slice(0, 10)}:

| | |
| --- | --- |
| processor | ${processors.length} × ${processors[0]?.model.trim()}; ${speed.toFixed(0)} in Lighthouse's own benchmark |
| memory | ${memory} GiB |
| system | ${type()} ${release()} |
| Lighthouse, Chromium, Node | ${lighthouse}, ${browser}, ${process.versions.node} |
| documents travel as | ${encoding} |

*Ours* is what \`npm run build\` makes. *In the browser* is the same site, built with React's \`createRoot\` in the place
of \`hydrateRoot\`, its documents with an empty root and its scripts with the usual priority: the same styles, fonts and
pictures, behind an nginx of the same configuration and the same lead-intake. Both are measured in one run, by turns,
each of them first in turn. In one thing the copy loses what it need not: it waits for a frame before it renders.

Every figure is the median of ${count}, with the lowest and highest in brackets where they differ. The times depend on the
machine: read the ratio, ours divided by the other. Except for points, less is better; points and layout shift are
compared by their difference.

- Lighthouse looks at a page as a phone does, with a profile of its own each time: a processor four times slower, and
  its simulated slow 4G. Bytes are counted as they travel, with headers; 1 KB is 1000 bytes.
- Blocking counts from the first paint on, and the copy does most of its work before it: the main thread's time and the
  time to interactive have all of it.
- The visit is a scripted one, by touch, in a window of 390 by 844 with a processor four times slower. Each line has
  the longest time from an input to the next frame, as the browser tells it: in steps of 8 ms, and 16 means 16 or less.
- The menu is tapped as soon as it is on the screen. Ours shows it before the page is live, and a tap meanwhile has React
  hydrate all of it at once; the copy has nothing to tap until it is rendered. "Menu open, from the start" is what a
  visitor waits in all.

${table}
`;
}
