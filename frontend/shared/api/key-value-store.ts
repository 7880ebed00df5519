import * as v from "valibot";

export type KeyValueStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Web Storage that falls back to memory if it throws: private windows, blocked cookies, a full disk. */
export function safeStorage(open: () => KeyValueStore): KeyValueStore {
  const memory = new Map<string, string>();
  function attempt<T>(action: (store: KeyValueStore) => T): T | null {
    try {
      return action(open());
    } catch {
      return null;
    }
  }
  return {
    getItem: (key) => memory.get(key) ?? attempt((store) => store.getItem(key)),
    setItem: (key, value) => {
      memory.set(key, value);
      attempt((store) => {
        store.setItem(key, value);
        memory.delete(key);
      });
    },
    removeItem: (key) => {
      memory.delete(key);
      attempt((store) => store.removeItem(key));
    },
  };
}

/** The value of a key, or `null` if it does not match the schema. */
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
