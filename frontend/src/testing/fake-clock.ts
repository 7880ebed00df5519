import type { Clock } from "#api/clock.ts";

/** A clock that moves only when a test moves it. */
export class FakeClock implements Clock {
  #now: number;
  #sleepers: { due: number; wake: () => void }[] = [];

  constructor(now = 1_800_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const sleeper = { due: this.#now + milliseconds, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      });
    });
  }

  /** Moves on, waking each sleeper at its own moment and letting it act before the next. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (;;) {
      const next = this.#sleepers.reduce<{ due: number; wake: () => void } | null>(
        (first, sleeper) =>
          sleeper.due <= end && (first === null || sleeper.due < first.due) ? sleeper : first,
        null,
      );
      if (next === null) {
        break;
      }
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next);
      this.#now = Math.max(this.#now, next.due);
      next.wake();
      await settle();
    }
    this.#now = end;
  }

  /** Sets the time as a user or a time server does: nothing wakes. */
  set(now: number): void {
    this.#now = now;
  }
}

/** Lets every promise that can go on do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) {
    await Promise.resolve();
  }
}
