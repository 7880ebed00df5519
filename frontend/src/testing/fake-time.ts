import { afterEach, beforeEach, vi } from "vitest";

/** Stops time in each test of a file: `AbortSignal.timeout` included, which Vitest's fake timers leave alone. */
export function stopTime(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
      const abort = new AbortController();
      setTimeout(() => abort.abort(), milliseconds);
      return abort.signal;
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Lets time pass, and everything happen that it brings. */
export async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}
