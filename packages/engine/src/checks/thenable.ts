// A callback may return a promise even if its type says otherwise, because untyped programs exist.

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const mayHaveKeys = (typeof value === "object" && value !== null) || typeof value === "function";
  return mayHaveKeys && typeof (value as { then?: unknown }).then === "function";
}

/** For a promise that is not awaited: an unhandled rejection would end the process. */
export function onRejected(result: unknown, callback: (error: unknown) => void): void {
  if (!isThenable(result)) return;
  // A promise of another realm, or with a `catch` of its own, is adopted by a promise of this realm.
  new Promise((resolve) => resolve(result)).catch(callback);
}
