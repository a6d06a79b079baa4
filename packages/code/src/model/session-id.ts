// The id of a session: one attempt at one task or fix. It follows from the journal, so it needs no record of its own.

/**
 * An attempt that does not count is repeated with its id. `step` is the name of the step: a session that goes on with the
 * answer of a person is a step `session` below the one that asked.
 */
export function sessionIdOf(executionId: string, taskId: string, attempt: number, step: string): string {
  const answers = step.match(/\/session(?=\/|$)/gu)?.length ?? 0;
  return `${executionId}-${taskId}-${attempt}${answers === 0 ? "" : `-answer${answers}`}`;
}
