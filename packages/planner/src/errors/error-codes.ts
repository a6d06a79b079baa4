// The error codes of the planner, with their meaning and their remedy.

export const PLANNER_CODES = {
  VALIDATION_ERROR: {
    meaning: "A planner's model, mode, workflow or call is not valid; the error lists all problems.",
    remedy: "Correct each problem; its reason says which rule it breaks.",
  },
} as const;

export type PlannerErrorCode = keyof typeof PLANNER_CODES;
