/** Fills a new array of so many bytes. `crypto.randomUUID` is missing on plain http, `getRandomValues` never. */
export type RandomBytes = (length: number) => Uint8Array;

export const browserRandomBytes: RandomBytes = (length) =>
  crypto.getRandomValues(new Uint8Array(length));

/** A random UUID, version 4. */
export function uuid(randomBytes: RandomBytes): string {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The W3C trace context of one request: its trace, and a span of its own. */
export function traceparent(traceId: string, randomBytes: RandomBytes): string {
  return `00-${traceId}-${nonZeroHex(8, randomBytes)}-01`;
}

export function traceId(randomBytes: RandomBytes): string {
  return nonZeroHex(16, randomBytes);
}

/** The standard forbids ids that are all zero. */
function nonZeroHex(length: number, randomBytes: RandomBytes): string {
  const bytes = randomBytes(length);
  if (bytes.every((byte) => byte === 0)) {
    bytes[length - 1] = 1;
  }
  return hex(bytes);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
