// Codes of planned actions, task engines and batches.

export const FACE_CODES = {
  LEASE_EXPIRED: {
    meaning:
      "An action may not run under its lease: the engine has another lease for it, its execution was cancelled, or the engine does not know it although its epoch is above 0.",
    remedy: "Discard the result. The current holder of the lease completes the action.",
  },
  EPOCH_CONFLICT: {
    meaning: "An action was delivered with an old epoch: it was claimed or completed in the meantime.",
    remedy: "Read the status of the action, and do not run it again.",
  },
  ENGINE_TYPE_UNKNOWN: {
    meaning: "A task engine of this type does not exist.",
    remedy: 'Use "sequential" or "parallel".',
  },
  TASK_UNKNOWN: {
    meaning: "A task depends on a task that does not exist in the workflow.",
    remedy: "Add the task, or correct the name.",
  },
  TASK_AMBIGUOUS: {
    meaning: "Several tasks have the name that a dependency uses.",
    remedy: "Use the id of the task instead of its name.",
  },
  TASK_CYCLE: {
    meaning: "Tasks depend on each other in a cycle.",
    remedy: 'Remove one of the dependencies that the message names, or get the order with `onCycle: "drop"`.',
  },
  TASK_WITHOUT_ACTION: {
    meaning: "A task has no action.",
    remedy: "Give the task an action: a function, or a module that runs on a thread.",
  },
  BATCH_CHANGED: {
    meaning: "A batch was continued, but its items or its options give other chunks than those in the journal.",
    remedy: "Pass the same items in the same order with the same sizes, or use another batch id.",
  },
  BATCH_UNDER_WAY: {
    meaning: "A batch with this id is already running in this engine.",
    remedy: "Wait until it ends, or use another id.",
  },
  BATCH_SOURCE_FAILED: {
    meaning: "The source of a batch's items threw an error, or its `next()` did not return an object.",
    remedy: "Read the cause; `result` of the error has the result so far.",
  },
  BATCH_ITEM_INVALID: {
    meaning: "An item of a durable batch is not JSON, so the journal cannot store it.",
    remedy: "Pass plain data; the message has the path of the value.",
  },
  BATCH_AGGREGATE_FAILED: {
    meaning: "The `aggregate` function of a batch threw an error.",
    remedy:
      "Correct the function. A batch with an id can then be executed again; completed chunks do not run a second time.",
  },
  BATCH_TOLERANCE: {
    meaning: "More items of a batch failed than its `tolerance` allows.",
    remedy: "Read `errors` of the result; `retryFailed: true` runs the failed chunks again.",
  },
  BATCH_TIMEOUT: {
    meaning: "A batch took longer than its `totalTimeout`.",
    remedy: "Set a longer `totalTimeout`. A batch with an id continues where it was.",
  },
} as const;
