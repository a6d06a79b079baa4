// Short views on an execution.

import type { ExecutionHandle } from "../../src/index.ts";

/** The status of each step, by name. */
export async function statuses(handle: ExecutionHandle<unknown>): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await handle.status()).steps.map(({ name, status }) => [name, status]));
}

/** Opens after the given number of arrivals. */
export function gate(count: number): { readonly arrive: () => void; readonly reached: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  return { arrive: () => void (--left === 0 && resolve()), reached: promise };
}
