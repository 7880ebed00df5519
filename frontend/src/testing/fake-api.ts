/** What a scripted answer is: a response, a broken network, or silence until the call is aborted. */
export type Script = Response | "broken" | "silent";

export interface SentCall {
  path: string;
  headers: Headers;
  body: unknown;
  /** Whether the caller gave it up. */
  aborted: () => boolean;
}

/** A fetch that answers from a script, one entry a call, and remembers what it was sent. */
export function fakeApi(answer: (call: SentCall, count: number) => Script) {
  const calls: SentCall[] = [];
  const fake: typeof fetch = (input, init) => {
    const signal = init?.signal ?? null;
    const call: SentCall = {
      path: String(input),
      headers: new Headers(init?.headers),
      body: JSON.parse(String(init?.body)),
      aborted: () => signal?.aborted ?? false,
    };
    calls.push(call);
    const script = answer(call, calls.length);
    if (script === "broken") {
      return Promise.reject(new TypeError("Failed to fetch"));
    }
    if (script === "silent") {
      return new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      });
    }
    return Promise.resolve(script);
  };
  return { fetch: fake, calls };
}

export function json(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify(body), { status, headers });
}

export function apiError(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Response {
  return json(status, { error: { code, message: code } }, headers);
}
