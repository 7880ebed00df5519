import type { KeyValueStore } from "#api/key-value-store.ts";
import { postJson, type Reply } from "#api/post-json.ts";
import { sleep } from "#api/time.ts";
import type { Attribution } from "./attribution.ts";
import {
  isFresh,
  readRecord,
  recordFrom,
  type SessionRecord,
  writeRecord,
} from "./session-record.ts";

/** The visitor's anonymous session. */
export interface Session {
  /** A token that is good for a while; `null` when none can be had now. */
  token(): Promise<string | null>;
  /** Another token, after the API has refused this one. */
  replace(refused: string): Promise<string | null>;
  /** Renews before expiry for as long as the page lives. */
  keepFresh(): Promise<never>;
}

interface Dependencies {
  fetch: typeof fetch;
  store: KeyValueStore;
  publicKey: string;
  /** Of this visit; used only when the browser knows no earlier one. */
  attribution: Attribution;
  /** Resolves when the page is visible, at once if it is: a page in the background renews nothing. */
  visible(): Promise<void>;
}

const CALL_TIMEOUT = 5_000;
const RETRY_PAUSE = 30_000;
const LONGEST_MARGIN = 60_000;

export function createSession(deps: Dependencies): Session {
  const { store } = deps;
  let inFlight: Promise<SessionRecord | null> | null = null;

  /** One renewal at a time, whoever asks. */
  function obtain(): Promise<SessionRecord | null> {
    inFlight ??= renewOrCreate().finally(() => {
      inFlight = null;
    });
    return inFlight;
  }

  async function renewOrCreate(): Promise<SessionRecord | null> {
    const known = readRecord(store);
    if (known !== null) {
      const renewed = await post("/auth/v1/session/refresh", { refresh_token: known.refreshToken });
      const record = keep(renewed, known.attribution);
      if (record !== null || !isRefusal(renewed)) {
        return record;
      }
    }
    const attribution = known?.attribution ?? deps.attribution;
    return keep(await post("/auth/v1/session", attribution), attribution);
  }

  function post(path: string, body: unknown): Promise<Reply> {
    return postJson(deps.fetch, {
      path,
      body,
      headers: { apikey: deps.publicKey },
      timeout: CALL_TIMEOUT,
    });
  }

  function keep(reply: Reply, attribution: Attribution): SessionRecord | null {
    if (reply.kind === "unreachable" || reply.status < 200 || reply.status > 299) {
      return null;
    }
    const record = recordFrom(reply.body, Date.now(), attribution);
    if (record !== null) {
      writeRecord(store, record);
    }
    return record;
  }

  async function token(): Promise<string | null> {
    const known = readRecord(store);
    if (known !== null && isFresh(known, Date.now(), marginOf(known) / 2)) {
      return known.accessToken;
    }
    return (await obtain())?.accessToken ?? null;
  }

  async function replace(refused: string): Promise<string | null> {
    const known = readRecord(store);
    // Another tab may have renewed it meanwhile.
    if (known !== null && known.accessToken !== refused && isFresh(known, Date.now(), 0)) {
      return known.accessToken;
    }
    return (await obtain())?.accessToken ?? null;
  }

  async function keepFresh(): Promise<never> {
    for (;;) {
      await deps.visible();
      let record = readRecord(store);
      if (record === null || !isFresh(record, Date.now(), marginOf(record))) {
        record = await obtain();
      }
      const pause =
        record === null ? RETRY_PAUSE : record.expiresAt - marginOf(record) - Date.now();
      await sleep(Math.min(Math.max(pause, 1_000), LONGEST_TIMER));
    }
  }

  return { token, replace, keepFresh };
}

/** Longer timers overflow and fire at once. */
const LONGEST_TIMER = 86_400_000;

/** How long before expiry a token is renewed: a minute, or a fifth of a short life. */
function marginOf(record: SessionRecord): number {
  return Math.min(LONGEST_MARGIN, (record.expiresAt - record.issuedAt) / 5);
}

/** The API has said no to this refresh token, rather than being busy or away. */
function isRefusal(reply: Reply): boolean {
  return (
    reply.kind === "answered" && reply.status >= 400 && reply.status < 500 && reply.status !== 429
  );
}
