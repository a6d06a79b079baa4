/** Calls `look` until it returns a result, and calls `sleep` between two looks. */
import "@segno/contract/node-version";

export async function pollUntil<Result>(
  look: () => Promise<Result | undefined>,
  sleep: () => Promise<unknown>,
): Promise<Result> {
  for (;;) {
    const result = await look();
    if (result !== undefined) return result;
    await sleep();
  }
}
