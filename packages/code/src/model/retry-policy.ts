// When a task is tried again after a transient error.

/** The number of attempts at a task and the delays between them. */
export interface TaskRetryPolicy {
  /** All attempts, the first included. */
  readonly maxAttempts: number;
  readonly backoffMultiplier: number;
  readonly baseDelay: number;
  readonly maxDelay: number;
}

export const RETRY_POLICY: TaskRetryPolicy = {
  maxAttempts: 3,
  backoffMultiplier: 2,
  baseDelay: 1000,
  maxDelay: 30_000,
};

/** The delay in milliseconds after so many attempts. */
export function retryDelay(policy: TaskRetryPolicy, attempts: number): number {
  return Math.min(policy.maxDelay, policy.baseDelay * policy.backoffMultiplier ** Math.max(0, attempts - 1));
}
