import { cpus, release, totalmem, type } from "node:os";

/**
 * The results and the environment.
 * @typedef {object} Measured
 * @property {string} table
 * @property {number} count rounds
 * @property {string} lighthouse its version
 * @property {string} browser its version
 * @property {number} speed of the processor, by Lighthouse's own benchmark
 * @property {string} encoding of the documents
 */

/**
 * `docs/benchmarks-site.md`.
 * @param {Measured} measured
 * @param {Date} now
 */
export function documentOf({ table, count, lighthouse, browser, speed, encoding }, now) {
  const processors = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(1);
  return `# Benchmarks of the site

For front-end engineers. After reading it you can compare the prerendered site with the same site rendered in the browser:
how fast its pages load, how many bytes they transfer, and how fast they respond on a slow phone.

Measured by \`cargo xtask bench --site\` on ${now.toISOString().slice(0, 10)}:

| | |
| --- | --- |
| processor | ${processors.length} × ${processors[0]?.model.trim()}; ${speed.toFixed(0)} in Lighthouse's own benchmark |
| memory | ${memory} GiB |
| system | ${type()} ${release()} |
| Lighthouse, Chromium, Node | ${lighthouse}, ${browser}, ${process.versions.node} |
| document encoding | ${encoding} |

*Ours* is the output of \`npm run build\`. *Client-rendered* is a copy that uses React's \`createRoot\` instead of
\`hydrateRoot\`, documents with an empty root, and scripts with the usual priority. Styles, fonts, images, nginx configuration
and lead-intake are the same. The copy has one unnecessary disadvantage: it waits for a frame before it renders.

Each round measures both sites, and their order alternates. Every figure is the median of ${count}, with the lowest and
highest in brackets where they differ. Times depend on the machine, so compare the ratio, which is ours divided by
client-rendered. For points and layout shift the column shows the difference. Lower is better, except for points. *worse*
marks every figure in which ours loses.

- Lighthouse emulates a phone: a fresh profile, a processor four times slower, and simulated slow 4G. Transfer sizes include
  headers and compression. 1 KB is 1,000 bytes.
- Blocking time starts at the first paint, and the copy does most of its work before it. The main thread's time and the time
  to interactive include all work.
- The visit is scripted, by touch, in a window of 390 by 844 with a processor four times slower. Each row is the longest time
  from an input to the next frame. The browser reports it in steps of 8 ms, and 16 means 16 or less.
- The script taps the menu as soon as it is visible. Our menu is visible before the page is hydrated, and a tap then hydrates
  the whole page. The copy has no menu until it is rendered. "Menu open, from navigation" is the visitor's total wait.

${table}
`;
}
