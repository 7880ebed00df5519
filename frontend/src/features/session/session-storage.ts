/** The little of Web Storage that the session needs. */
export type KeyValueStore = Pick<Storage, "getItem" | "setItem">;

/** Local storage that falls back to memory where it throws: private windows, blocked cookies, a full disk. */
export function forgivingStore(open: () => KeyValueStore): KeyValueStore {
  const memory = new Map<string, string>();
  return {
    getItem: (key) => {
      try {
        return memory.get(key) ?? open().getItem(key);
      } catch {
        return memory.get(key) ?? null;
      }
    },
    setItem: (key, value) => {
      try {
        open().setItem(key, value);
        memory.delete(key);
      } catch {
        memory.set(key, value);
      }
    },
  };
}
