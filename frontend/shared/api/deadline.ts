/**
 * A signal that aborts after `timeout` milliseconds, or together with `outer`. `AbortSignal.timeout` and `AbortSignal.any`
 * are missing in browsers that the site supports.
 */
export function deadline(timeout: number, outer?: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  setTimeout(abort, timeout);
  if (outer?.aborted) {
    abort();
  }
  outer?.addEventListener("abort", abort, { once: true });
  return controller.signal;
}
