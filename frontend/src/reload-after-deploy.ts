interface Environment {
  /** Address of the script that this document began with, as the document names it. */
  entry: string;
  /** The document at this address as the server has it now; rejects without a network. */
  fetchDocument: () => Promise<string>;
  /** Remembers for the tab; may throw. */
  storage: () => Pick<Storage, "getItem" | "setItem">;
  reload: () => void;
}

export interface DeployWatch {
  /** To be called when a chunk could not be loaded. */
  chunkFailed: () => Promise<void>;
  /** Loads a chunk whose caller has a way of its own when it cannot be had. */
  suppressReload: <T>(load: () => Promise<T>) => Promise<T>;
}

const ENTRY = /<script type="module"[^>]*? src="([^"]+)"/;

/**
 * A deploy takes old chunks away. The document is loaded again only if the server's own now names another entry
 * script: never without a network, for a passing fault or for a stranger's page, and from each build at most once
 * in a tab. Without storage there is no draft to come back to, so nothing is reloaded then.
 */
export function deployWatch({ entry, fetchDocument, storage, reload }: Environment): DeployWatch {
  let suppressed = 0;

  async function chunkFailed(): Promise<void> {
    if (suppressed > 0) {
      return;
    }
    try {
      const current = ENTRY.exec(await fetchDocument())?.[1];
      if (current !== undefined && current !== entry && isFirstTime(storage(), entry)) {
        reload();
      }
    } catch {
      // Whoever asked for the chunk says that it could not be loaded.
    }
  }

  async function suppressReload<T>(load: () => Promise<T>): Promise<T> {
    suppressed += 1;
    try {
      return await load();
    } finally {
      suppressed -= 1;
    }
  }

  return { chunkFailed, suppressReload };
}

function isFirstTime(storage: Pick<Storage, "getItem" | "setItem">, entry: string): boolean {
  const key = `reloaded-from:${entry}`;
  if (storage.getItem(key) !== null) {
    return false;
  }
  storage.setItem(key, "");
  return true;
}
