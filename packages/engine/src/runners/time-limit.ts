// Waits for work that may never end.

/** Whether the work has ended within the time. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: isLate, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), isLate]);
  } finally {
    clearTimeout(timer);
  }
}
