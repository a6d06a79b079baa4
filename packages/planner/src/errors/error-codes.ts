// The error codes of the planner, with their meaning and their remedy.

export const PLANNER_CODES = {
  VALIDATION_ERROR: {
    meaning: "A model, a mode, a workflow or a call of the planner is not valid; the error lists all problems.",
    remedy: "Correct each problem; its `reason` names the violated rule.",
  },
} as const;

export type PlannerErrorCode = keyof typeof PLANNER_CODES;
