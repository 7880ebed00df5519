export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The promise's value, or `null` when it is not there in time. */
export function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T | null> {
  return Promise.race([promise, sleep(milliseconds).then(() => null)]);
}
