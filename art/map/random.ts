/** A pseudo-random generator. The same seed results in the same numbers. */
export interface Random {
  /** At least `low`, less than `high`. */
  between: (low: number, high: number) => number;
  /** True with this probability. */
  chance: (part: number) => boolean;
  pick: <Entry>(entries: readonly [Entry, ...Entry[]]) => Entry;
}

export function randomFrom(seed: number): Random {
  let state = seed;
  /** The mulberry32 generator. */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (low, high) => low + (high - low) * next(),
    chance: (part) => next() < part,
    pick: (entries) => entries[Math.floor(next() * entries.length)] ?? entries[0],
  };
}
