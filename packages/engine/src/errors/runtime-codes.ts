// Codes of the engine's own operations: starting, reading and controlling executions, callbacks, import and export.

export const RUNTIME_CODES = {
  JOURNAL_MISSING: {
    meaning: "There is no journal at the given path.",
    remedy: "Pass the path of an existing journal, or open the engine without `readOnly`; it then creates the journal.",
  },
  WORKFLOW_UNKNOWN: {
    meaning: "A workflow with this name is not registered.",
    remedy: "Register it with the engine: `Engine.open({ workflows })`.",
  },
  IDEMPOTENCY_KEY_INVALID: {
    meaning: "An idempotency key has the wrong form.",
    remedy: "Use 1 to 255 characters: A-Z, a-z, 0-9 and hyphen.",
  },
  IDEMPOTENCY_CONFLICT: {
    meaning:
      "An idempotency key is already in use: a start has the key with another payload, or an imported execution has the key of another execution.",
    remedy:
      "Use another key, or the same workflow and input. For an import, the message names the execution that has the key.",
  },
  START_UNANSWERED: {
    meaning: "A start with an idempotency key was posted, and no owner of the store consumed it in time.",
    remedy:
      "Open an engine that owns the store, then start again with the same key; both starts return the same execution.",
  },
  OPTION_INVALID: {
    meaning: "An option is unknown, or its value is not allowed.",
    remedy: "The message says what is allowed.",
  },
  EXECUTION_UNFINISHED: {
    meaning: "The operation needs an execution that has ended.",
    remedy: "Cancel the execution, or wait until it ends.",
  },
  SINK_FAILED: {
    meaning:
      "A sink could not deliver lines to its file, its server or stdout. The message says whether they are lost or are sent again.",
    remedy: "Correct the cause that the message names. The sink goes on by itself, and counts the lines that it lost.",
  },
  NAME_INVALID: {
    meaning:
      "An id, a correlation id, the name of a workflow or a signal, or the kind or key of a document is too long or contains characters that some stores cannot store.",
    remedy: "Use text of at most 1024 characters without U+0000 and without lone surrogates.",
  },
  LABEL_INVALID: {
    meaning: "A label of an execution has a name or a value that is not allowed, or there are too many labels.",
    remedy: "Use names of letters, digits, `_`, `.`, `/` and `-`, and texts of at most 256 characters.",
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
    meaning: "An execution with this id already exists, or a start with this id is posted.",
    remedy: "Leave the id out, or use another.",
  },
  EXECUTION_FAILED: {
    meaning: "An execution failed.",
    remedy: "Read its failure, which names the step; `retry` opens a new round.",
  },
  EXECUTION_CANCELLED: { meaning: "An execution was cancelled.", remedy: "Start a new execution." },
  ENGINE_CLOSED: {
    meaning: "The engine was used after it was closed.",
    remedy: "Keep the engine open as long as the program uses it.",
  },
  ENGINE_NOT_OWNER: {
    meaning: "Another process owns the store, and this process only reads.",
    remedy: "Open the engine without `readOnly`, or use the process that owns the store.",
  },
  EXPORT_INVALID: {
    meaning: "The imported text is not an export, was truncated, or was changed.",
    remedy: "Export it again.",
  },
  CURSOR_INVALID: {
    meaning: "A cursor was not returned by `list`.",
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
    meaning: "A callback did not return in time: a schema, a classifier, a resolver or a subscriber.",
    remedy: "Make it return in time, or raise the engine option `callbackTimeoutMs`.",
  },
  CALLBACK_FAILED: {
    meaning: "A callback threw an error, or returned an invalid value.",
    remedy: "Correct the callback that the message names; the cause is the thrown error.",
  },
  STRATEGY_BROKEN: {
    meaning: "A scheduling strategy threw an error, or selected a step that does not wait.",
    remedy: "Correct it; the execution continues in first-in-first-out order.",
  },
} as const;
