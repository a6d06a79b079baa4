/** Far more take-overs than can happen. The owner adds to the epoch, so it stays below the largest safe integer. */
export const EPOCH_MAX: number = 2 ** 48;

/**
 * The epoch of an execution whose stored epoch was damaged: no execution has been taken over so often, so no process that
 * owned it before can still write under it (LEASE-2).
 */
export const EPOCH_AFTER_REPAIR: number = 2 ** 32;

/** Whether an epoch can be that of a stored execution. */
export function isEpoch(epoch: unknown): epoch is number {
  return Number.isInteger(epoch) && (epoch as number) >= 1 && (epoch as number) <= EPOCH_MAX;
}
