// What a callback gave back may be a promise, also where its type says otherwise: programs without types exist.

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const mayHaveKeys = (typeof value === "object" && value !== null) || typeof value === "function";
  return mayHaveKeys && typeof (value as { then?: unknown }).then === "function";
}

/** For an answer that nobody waits for: its rejection would end the process otherwise. */
export function hearRejection(answer: unknown, heard: (error: unknown) => void): void {
  if (isThenable(answer)) Promise.resolve(answer).catch(heard);
}
