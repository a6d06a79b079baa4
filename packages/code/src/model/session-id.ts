// The id of a session: one attempt of one step. It follows from the journal, so it needs no record of its own, and it can be
// the name of a file.

/** `step` is the name of the step, such as `session-api` or `merge-api/fix`. An attempt that does not count is repeated with its id. */
export function sessionIdOf(executionId: string, step: string, attempt: number): string {
  return `${executionId}.${step.replaceAll("/", ".")}.${attempt}`;
}
