import * as v from "valibot";

/** The little of Web Storage that the site needs. */
export type KeyValueStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Web Storage that falls back to memory where it throws: private windows, blocked cookies, a full disk. */
export function safeStorage(open: () => KeyValueStore): KeyValueStore {
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
    removeItem: (key) => {
      memory.delete(key);
      try {
        open().removeItem(key);
      } catch {
        // What cannot be reached holds nothing of ours.
      }
    },
  };
}

/** What is stored under a key, or `null` where that does not fit the schema. */
export function readStored<Schema extends v.GenericSchema>(
  store: KeyValueStore,
  key: string,
  schema: Schema,
): v.InferOutput<Schema> | null {
  try {
    const result = v.safeParse(schema, JSON.parse(store.getItem(key) ?? ""));
    return result.success ? result.output : null;
  } catch {
    return null;
  }
}
