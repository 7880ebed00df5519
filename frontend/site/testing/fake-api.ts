/** A scripted answer: a response, a network error, or no response until the caller aborts. */
export type Script = Response | "broken" | "silent";

export interface SentCall {
  path: string;
  headers: Headers;
  body: unknown;
  /** Whether the caller has aborted the request. */
  aborted: () => boolean;
}

/** A fetch that computes each response with `answer` and records the calls. */
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
