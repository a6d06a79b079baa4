// The id of a session: one attempt at one task or fix. It follows from the journal, so it needs no record of its own.

/** An attempt that does not count is repeated with its id. */
export function sessionIdOf(executionId: string, taskId: string, attempt: number): string {
  return `${executionId}-${taskId}-${attempt}`;
}
