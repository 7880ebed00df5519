/** The answer to one POST. */
export interface Reply {
  /** `null` when no answer came. */
  status: number | null;
  /** The fields of the body; none where it is no JSON object. */
  body: Record<string, unknown>;
  /** Milliseconds. */
  retryAfter: number | null;
}

export const unreachable: Reply = { status: null, body: {}, retryAfter: null };

interface Call {
  path: string;
  headers: Record<string, string>;
  body: unknown;
  /** Milliseconds after which the call is aborted and counts as unreachable. */
  timeout: number;
}

/** Never rejects. */
export async function postJson(call: Call): Promise<Reply> {
  try {
    const response = await fetch(call.path, {
      method: "POST",
      headers: { ...call.headers, "Content-Type": "application/json" },
      body: JSON.stringify(call.body),
      credentials: "omit",
      signal: AbortSignal.timeout(call.timeout),
    });
    // The API sends seconds.
    const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
    return {
      status: response.status,
      body: fieldsOf(await response.json().catch(() => null)),
      retryAfter: Number.isNaN(seconds) ? null : seconds * 1000,
    };
  } catch {
    return unreachable;
  }
}

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** JSON text must be Unicode: half an emoji, cut off by `maxlength` or an input method, becomes U+FFFD. */
export function wellFormed(text: string): string {
  // String.prototype.toWellFormed is younger than the browsers served.
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
