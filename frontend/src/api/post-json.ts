/** What came of one POST: an answer of any status, or none. */
export type Reply =
  | { kind: "answered"; status: number; body: unknown; retryAfter: number | null }
  | { kind: "unreachable" };

export interface Call {
  path: string;
  headers: Record<string, string>;
  body: unknown;
  /** Milliseconds after which the call is aborted and counts as unreachable. */
  timeout: number;
}

/** Never rejects: a broken network, a hanging server and an unreadable body are values too. */
export async function postJson(send: typeof fetch, call: Call): Promise<Reply> {
  try {
    const response = await send(call.path, {
      method: "POST",
      headers: { ...call.headers, "Content-Type": "application/json" },
      body: JSON.stringify(call.body),
      credentials: "omit",
      signal: AbortSignal.timeout(call.timeout),
    });
    const text = await response.text();
    return {
      kind: "answered",
      status: response.status,
      body: parseJson(text),
      retryAfter: parseRetryAfter(response.headers.get("Retry-After"), Date.now()),
    };
  } catch {
    return { kind: "unreachable" };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** `Retry-After` in milliseconds from now: it comes as seconds or as an HTTP date. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) {
    return null;
  }
  if (/^\d+$/.test(header.trim())) {
    return Number(header) * 1000;
  }
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Narrows an unknown body to its fields. */
export function fieldsOf(body: unknown): Record<string, unknown> {
  return typeof body === "object" && body !== null && !Array.isArray(body)
    ? (body as Record<string, unknown>)
    : {};
}
