const ESCALATION = /^(?:more-tasks\/)*(?:merge-(?<task>[^/]+)|land)\/(?:.*\/)?escalation$/u;

/** As in `@segno/code`, which is loaded for code workflows only. No task has this name. */
const LANDING = "workflow.landing";

/** The task whose merge a person has to decide about at this step of a code workflow; for the base branch, the name of its landing. */
export function escalatedTask(step: string): string | undefined {
  const match = ESCALATION.exec(step);
  return match === null ? undefined : (match.groups?.["task"] ?? LANDING);
}
