// Codes of the faces that stand on the kernel: the planner, the executor of its actions, and the engines.

export const FACE_CODES = {
  VALIDATION_ERROR: {
    meaning: "A planner's model, mode, workflow or call is not valid; the error lists all problems.",
    remedy: "Correct each problem; its reason says which rule it breaks.",
  },
  LEASE_EXPIRED: {
    meaning: "An action came with a lease that is not, or no longer, the one that it may run under.",
    remedy: "Drop the result. Whoever holds the lease now finishes the action.",
  },
  EPOCH_CONFLICT: {
    meaning: "An action came with an epoch that has passed: somebody claimed or finished it since.",
    remedy: "Read the action again, and do not repeat what was done.",
  },
  ENGINE_TYPE_UNKNOWN: {
    meaning: "There is no engine of that type.",
    remedy: 'Ask for "sequential" or "parallel".',
  },
  TASK_UNKNOWN: {
    meaning: "A task depends on one that the workflow does not have.",
    remedy: "Add the task, or correct the name.",
  },
  TASK_AMBIGUOUS: {
    meaning: "A dependency names several tasks.",
    remedy: "Depend on the id of the one that is meant.",
  },
  TASK_CYCLE: {
    meaning: "Tasks depend on each other in a circle.",
    remedy: 'Remove one of the dependencies that the message names, or ask for the order with `onCycle: "drop"`.',
  },
  TASK_WITHOUT_ACTION: {
    meaning: "A task has nothing to do.",
    remedy: "Give it an action: a function, or a module for a thread.",
  },
} as const;
