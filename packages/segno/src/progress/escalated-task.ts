const ESCALATION = /^(?:more-tasks\/)*(?:merge-(?<task>[^/]+)|land)\/(?:.*\/)?escalation$/u;

/** The task whose merge a person has to decide about at this step of a code workflow; `landing` for the base branch. */
export function escalatedTask(step: string): string | undefined {
  const match = ESCALATION.exec(step);
  return match === null ? undefined : (match.groups?.["task"] ?? "landing");
}
