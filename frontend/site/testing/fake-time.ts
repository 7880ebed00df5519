import { afterEach, beforeEach, vi } from "vitest";

/** Fakes time in each test of a file. */
export function fakeTime(): void {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Advances the clock, and runs the timers and promises that become due. */
export async function advanceTime(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}
