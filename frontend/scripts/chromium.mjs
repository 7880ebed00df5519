const asRoot = process.getuid?.() === 0;

/** Chromium's flags in tests and benchmarks: for any user, and without background requests. */
export const chromiumFlags = [
  ...(asRoot ? ["--no-sandbox"] : []),
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
