import * as v from "valibot";
import { type KeyValueStore, readStored, safeStorage } from "#shared/api/key-value-store.ts";
import { postJson, type Reply, wellFormed } from "#shared/api/post-json.ts";
import { settings } from "#site/settings.ts";

/** The origin of the first visit, in the format of the API. Absent fields are unknown. */
export type Attribution = Partial<ReturnType<typeof attributionOf>>;

const KEY = "zyon-grand.session";
const CALL_TIMEOUT = 5_000;
/** Milliseconds before its expiry at which a token is renewed. */
const MARGIN = 60_000;
const RENEWAL_INTERVAL = 30_000;
/** The background renewal waits at most 2 ** 5 intervals, 16 minutes, after failures. */
const MAX_DOUBLINGS = 5;

const answerSchema = v.object({
  access_token: v.string(),
  refresh_token: v.string(),
  /** Seconds. */
  expires_in: v.number(),
});

const recordSchema = v.object({
  ...answerSchema.entries,
  /** Milliseconds since 1970. */
  issuedAt: v.number(),
  /** Attribution of the first visit, which is kept for later sessions. */
  attribution: v.fallback(v.looseObject({}), {}),
});

type SessionRecord = v.InferOutput<typeof recordSchema>;

/** @param attribution of this visit: used only when the browser knows no earlier one */
export function createSession(store: KeyValueStore, attribution: Attribution) {
  let inFlight: Promise<string | null> | null = null;
  /** Failed calls since the last success, and what the last one asked for. */
  let failures = 0;
  let retryAfter = 0;

  const readRecord = () => readStored(store, KEY, recordSchema);

  /** One renewal at a time, however many callers in however many windows wait for it. */
  function renew(refused?: string): Promise<string | null> {
    inFlight ??= alone(async () => usableToken(refused) ?? (await refreshOrCreate())).finally(
      () => {
        inFlight = null;
      },
    );
    return inFlight;
  }

  async function refreshOrCreate(): Promise<string | null> {
    const record = readRecord();
    if (record !== null) {
      const refresh = { refresh_token: record.refresh_token };
      const reply = await post("/auth/v1/session/refresh", {}, refresh);
      const token = storeReply(reply, record.attribution);
      if (token !== null || !isRefusal(reply)) {
        return token;
      }
    }
    const first = record?.attribution ?? attribution;
    // The visit began when the page was opened, which may be long before the API can be reached.
    const age = { "Page-Age": `${Math.floor(performance.now() / 1000)}` };
    return storeReply(await post("/auth/v1/session", age, first), first);
  }

  function post(path: string, headers: Record<string, string>, body: unknown): Promise<Reply> {
    return postJson(path, { apikey: settings.publicKey, ...headers }, body, CALL_TIMEOUT);
  }

  function storeReply(reply: Reply, kept: Attribution): string | null {
    const { status, body } = reply;
    const { success, output } = v.safeParse(answerSchema, body);
    if (!success || status === null || status > 299) {
      failures += 1;
      retryAfter = reply.retryAfter ?? 0;
      return null;
    }
    failures = 0;
    retryAfter = 0;
    const record: SessionRecord = { ...output, issuedAt: Date.now(), attribution: kept };
    store.setItem(KEY, JSON.stringify(record));
    return record.access_token;
  }

  function usableToken(refused?: string): string | null {
    const record = readRecord();
    // Another tab may have renewed a rejected token meanwhile.
    const margin = refused === undefined ? MARGIN : 0;
    const isUsable = record !== null && record.access_token !== refused && isFresh(record, margin);
    return isUsable ? record.access_token : null;
  }

  /** A valid token other than `refused`, which the API has rejected; `null` if none is available. */
  async function token(refused?: string): Promise<string | null> {
    return usableToken(refused) ?? renew(refused);
  }

  /** Milliseconds until the next background renewal: longer after each failure, and as long as the API asks for. */
  function pause(): number {
    const doublings = Math.min(Math.max(failures - 1, 0), MAX_DOUBLINGS);
    return Math.max(retryAfter, RENEWAL_INTERVAL * 2 ** doublings);
  }

  return { token, pause };
}

/** Runs a renewal while no other window of this browser does. Browsers offer locks only on https and localhost. */
function alone<T>(renewal: () => Promise<T>): Promise<T> {
  const { locks }: Partial<Navigator> = globalThis.navigator ?? {};
  // A browser that blocks storage may refuse a lock.
  return locks ? locks.request(KEY, renewal).catch(renewal) : renewal();
}

/** Whether the token is valid for at least `margin` more; unknown after the clock was set back. */
function isFresh({ issuedAt, expires_in }: SessionRecord, margin: number): boolean {
  const age = Date.now() - issuedAt;
  return age >= 0 && age < expires_in * 1000 - margin;
}

/** Whether the API rejected the refresh token, rather than being busy or unavailable. */
function isRefusal({ status }: Reply): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 429;
}

/** The session of this page, renewed for as long as the page is visible. */
export function browserSession() {
  const session = createSession(
    safeStorage(() => window.localStorage),
    attributionOf({ href: window.location.href, referrer: document.referrer }),
  );
  let timer: ReturnType<typeof setTimeout>;
  let due = 0;

  async function renew(): Promise<void> {
    clearTimeout(timer);
    if (document.visibilityState === "visible" && Date.now() >= due) {
      await session.token();
      due = Date.now() + session.pause();
    }
    clearTimeout(timer);
    timer = setTimeout(renew, Math.max(due - Date.now(), RENEWAL_INTERVAL));
  }

  void renew();
  document.addEventListener("visibilitychange", () => void renew());
  return session;
}

const utmFields = ["source", "medium", "campaign", "term", "content"];

const MAX_LENGTH = 200;

/** A referrer on this site was the first page, which the visitor left before its scripts loaded. */
export function attributionOf({ href, referrer }: { href: string; referrer: string }) {
  const here = new URL(href);
  const from = parsed(referrer);
  const page = from?.origin === here.origin ? from : here;
  const utm = utmFields.flatMap((field) => {
    const value = page.searchParams.get(`utm_${field}`);
    return value ? [[field, capped(value)]] : [];
  });
  return {
    landing_path: capped(page.pathname),
    ...(from?.host && from.host !== here.host && { referrer_host: capped(from.host) }),
    ...(utm.length > 0 && { utm: Object.fromEntries(utm) as Record<string, string> }),
  };
}

/** `URL.canParse` is missing in browsers that are still in use. */
function parsed(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

function capped(text: string): string {
  return wellFormed(text.slice(0, MAX_LENGTH));
}
