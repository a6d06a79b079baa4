// Codes of planned actions, task engines and batches.

export const FACE_CODES = {
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
  BATCH_CHANGED: {
    meaning: "A batch goes on, and its source or its options cut other chunks than those that are in the journal.",
    remedy: "Give the same items in the same order and the same sizes, or give the batch another id.",
  },
  BATCH_UNDER_WAY: {
    meaning: "A batch with this id is under way in this engine.",
    remedy: "Wait for its end, or give the other one an id of its own.",
  },
  BATCH_SOURCE_FAILED: {
    meaning: "The source of a batch's items threw, or gave something that is no item.",
    remedy: "Read the cause; what was done before is in the error's `result`.",
  },
  BATCH_ITEM_INVALID: {
    meaning: "An item of a durable batch is not JSON, so it cannot be kept in a journal.",
    remedy: "Give plain data; the message names the place.",
  },
  BATCH_AGGREGATE_FAILED: {
    meaning: "The `aggregate` of a batch threw.",
    remedy: "Correct it; a batch with an id can be executed again, and does nothing twice.",
  },
  BATCH_TOLERANCE: {
    meaning: "More items of a batch failed than its `tolerance` allows.",
    remedy: "Look at `errors`; `retryFailed` tries those that failed again.",
  },
  BATCH_TIMEOUT: {
    meaning: "A batch took longer than its `totalTimeout`.",
    remedy: "Give it more time; one with an id goes on where it was.",
  },
} as const;
