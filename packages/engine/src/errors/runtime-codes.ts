// Codes of the engine's own operations: starting, reading and controlling executions, callbacks, import and export.

export const RUNTIME_CODES = {
  JOURNAL_MISSING: {
    meaning: "There is no journal at the given path.",
    remedy:
      "Name the file of an existing journal, or open the engine in another mode than `readOnly`, which creates the journal.",
  },
  WORKFLOW_UNKNOWN: {
    meaning: "A workflow with this name is not registered.",
    remedy: "Register it with the engine: `Engine.open({ workflows })`.",
  },
  IDEMPOTENCY_KEY_INVALID: {
    meaning: "An idempotency key has the wrong form.",
    remedy: "Use 1 to 255 of A-Z, a-z, 0-9 and hyphen.",
  },
  IDEMPOTENCY_CONFLICT: {
    meaning: "An idempotency key is in use: a start has another payload, or an import is another execution.",
    remedy:
      "Use another key, or the same workflow and input. The message of an import names the execution that holds it.",
  },
  START_UNANSWERED: {
    meaning: "A start with an idempotency key was posted, and no owner of the store took it in time.",
    remedy: "Open an engine that owns the store, then start again with the same key: both starts give one execution.",
  },
  OPTION_INVALID: {
    meaning: "An option is out of its range.",
    remedy: "The message says what is allowed.",
  },
  EXECUTION_UNFINISHED: {
    meaning: "The operation needs an execution that has ended.",
    remedy: "Cancel it, or wait for its end.",
  },
  NAME_INVALID: {
    meaning:
      "An id, a correlation id, or the name of a workflow or a signal holds characters that not every store can store.",
    remedy: "Use text without U+0000 and without halves of surrogate pairs.",
  },
  INBOX_FULL: {
    meaning: "The inbox of an execution is full.",
    remedy: "Post again later; if the inbox stays full, check that a process owns the store.",
  },
  EXECUTION_UNKNOWN: {
    meaning: "There is no execution with this id.",
    remedy: "Check the id; `list` shows the existing executions.",
  },
  EXECUTION_EXISTS: {
    meaning: "An execution with this id already exists.",
    remedy: "Leave the id out, or use another.",
  },
  EXECUTION_FAILED: {
    meaning: "An execution failed.",
    remedy: "Read its failure, which names the step; `retry` opens a new round.",
  },
  EXECUTION_CANCELLED: { meaning: "An execution was cancelled.", remedy: "Start a new one." },
  ENGINE_CLOSED: { meaning: "The engine was used after it was closed.", remedy: "Keep it open as long as it is used." },
  ENGINE_NOT_OWNER: {
    meaning: "Another process owns the store, and this process only reads.",
    remedy: "Open the engine without `readOnly`, or ask the owner.",
  },
  EXPORT_INVALID: {
    meaning: "The imported text is not an export, was truncated, or was changed.",
    remedy: "Export it again.",
  },
  CURSOR_INVALID: {
    meaning: "A cursor does not come from a list.",
    remedy: "Begin without a cursor, and continue with the cursor of each page.",
  },
  PAYLOAD_REMOVED: {
    meaning: "A value was removed from the store on request; the events are still stored.",
    remedy: "Run the workflow again if the value is needed.",
  },
  STEP_UNKNOWN: {
    meaning: "The execution has no such step.",
    remedy: "Correct the name of the step.",
  },
  CALLBACK_TIMEOUT: {
    meaning: "A callback did not answer in time: a schema, a classifier, a resolver or a subscriber.",
    remedy: "Make it answer in time, or give it more time with the engine option `callbackTimeoutMs`.",
  },
  CALLBACK_FAILED: {
    meaning: "A callback threw, or returned a value that cannot be used.",
    remedy: "Correct it; the message names the callback, and the cause is the thrown error.",
  },
  STRATEGY_BROKEN: {
    meaning: "A scheduling strategy threw, or selected a step that does not wait.",
    remedy: "Correct it; the execution continues in first-in-first-out order.",
  },
} as const;
