// What there is to see of an execution in few words.

import type { ExecutionHandle } from "../../src/index.ts";

/** The status of each step, by its name. */
export async function statuses(handle: ExecutionHandle<unknown>): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await handle.status()).steps.map(({ name, status }) => [name, status]));
}

/** Opens when so many have come. */
export function gate(count: number): { readonly arrive: () => void; readonly reached: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  return { arrive: () => void (--left === 0 && resolve()), reached: promise };
}
