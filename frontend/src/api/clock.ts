/** Time as a parameter: the browser's own, or a test's. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts. Never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const browserClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const timer = setTimeout(resolve, milliseconds);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

/** The promise's value, or `null` when it is not there in time. */
export async function withTimeout<T>(
  clock: Clock,
  milliseconds: number,
  promise: Promise<T>,
): Promise<T | null> {
  const settled = new AbortController();
  try {
    return await Promise.race([
      promise,
      clock.sleep(milliseconds, settled.signal).then(() => null),
    ]);
  } finally {
    settled.abort();
  }
}
