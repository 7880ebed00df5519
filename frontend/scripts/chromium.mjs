const asRoot = process.getuid?.() === 0;

/** How tests and benchmarks start Chromium: as anyone, and with nothing of its own to fetch. */
export const chromiumFlags = [
  ...(asRoot ? ["--no-sandbox"] : []),
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
