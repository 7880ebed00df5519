import { deadline } from "./deadline.ts";

export interface Reply {
  /** `null` without a response. */
  status: number | null;
  /** `null` if it is not JSON. */
  body: unknown;
  /** Milliseconds. */
  retryAfter: number | null;
}

export const unreachable: Reply = { status: null, body: null, retryAfter: null };

/** Never rejects. A call is aborted after `timeout` milliseconds and counts as unreachable. */
export async function postJson(
  path: string,
  headers: Record<string, string>,
  body: unknown,
  timeout: number,
): Promise<Reply> {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify(body),
      credentials: "omit",
      signal: deadline(timeout),
    });
    // The API sends seconds.
    const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
    return {
      status: response.status,
      body: await response.json().catch(() => null),
      retryAfter: Number.isNaN(seconds) ? null : seconds * 1000,
    };
  } catch {
    return unreachable;
  }
}

/** Replaces half an emoji, which `maxlength` or an input method may leave, by U+FFFD, because JSON must be Unicode. */
export function wellFormed(text: string): string {
  // String.prototype.toWellFormed is younger than the browsers served.
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
