import { afterEach, beforeEach, vi } from "vitest";

/** Fakes time in each test of a file, also for `AbortSignal.timeout`, which Vitest's fake timers omit. */
export function fakeTime(): void {
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

/** Advances the clock, and runs the timers and promises that become due. */
export async function advanceTime(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}
