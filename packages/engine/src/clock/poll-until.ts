/** Calls `look` until it returns a result, and calls `sleep` between two looks. */
import "@segno/contract/node-version";

export async function pollUntil<Result>(
  poll: () => Promise<Result | undefined>,
  sleep: () => Promise<unknown>,
): Promise<Result> {
  for (;;) {
    const result = await poll();
    if (result !== undefined) return result;
    await sleep();
  }
}
