// Codes of the engine's own operations: starting, reading and controlling executions, callbacks, import and export.

export const RUNTIME_CODES = {
  JOURNAL_MISSING: {
    meaning: "There is no journal at the place where one is looked for.",
    remedy:
      "Name the file of an existing journal, or open the engine in another mode than `readOnly`, which creates the journal.",
  },
  WORKFLOW_UNKNOWN: {
    meaning: "A workflow is named that nobody has registered.",
    remedy: "Register it with the engine: `Engine.open({ workflows })`.",
  },
  IDEMPOTENCY_KEY_INVALID: {
    meaning: "An idempotency key has the wrong form.",
    remedy: "Use 1 to 255 of A-Z, a-z, 0-9 and hyphen.",
  },
  IDEMPOTENCY_CONFLICT: {
    meaning: "An idempotency key is in use with another payload.",
    remedy: "Use another key, or the same workflow and input.",
  },
  OPTION_INVALID: {
    meaning: "An option is out of its range.",
    remedy: "The message says what is allowed.",
  },
  EXECUTION_UNFINISHED: {
    meaning: "What was asked for can only be done to an execution that has ended.",
    remedy: "Cancel it, or wait for its end.",
  },
  NAME_INVALID: {
    meaning: "An id, a correlation id, or the name of a workflow or a signal holds what not every store can keep.",
    remedy: "Use text without U+0000 and without halves of surrogate pairs.",
  },
  INBOX_FULL: {
    meaning: "So many messages wait for an execution that no more are taken.",
    remedy: "Post again later; if none are taken, see whether a process owns the store.",
  },
  EXECUTION_UNKNOWN: {
    meaning: "There is no execution with this id.",
    remedy: "Check the id; `list` shows those there are.",
  },
  EXECUTION_EXISTS: {
    meaning: "There is an execution with this id already.",
    remedy: "Leave the id out, or use another.",
  },
  EXECUTION_FAILED: {
    meaning: "An execution failed.",
    remedy: "Look at its failure, which names the step; `retry` opens a new round.",
  },
  EXECUTION_CANCELLED: { meaning: "An execution was cancelled.", remedy: "Start a new one." },
  ENGINE_CLOSED: { meaning: "The engine was used after it was closed.", remedy: "Keep it open as long as it is used." },
  ENGINE_NOT_OWNER: {
    meaning: "Another process owns the store, and this was asked of a process that only reads.",
    remedy: "Open the engine without `readOnly`, or ask the owner.",
  },
  EXPORT_INVALID: {
    meaning: "What should be imported is no export, was cut, or was changed.",
    remedy: "Export it again.",
  },
  CURSOR_INVALID: {
    meaning: "A cursor is not one that a list gave back.",
    remedy: "Begin without a cursor, and go on with the one that comes with each page.",
  },
  PAYLOAD_REMOVED: {
    meaning: "A value was removed from the store on request; what happened is still there.",
    remedy: "Run the workflow again if the value is needed.",
  },
  STEP_UNKNOWN: {
    meaning: "The execution has no such step.",
    remedy: "Correct the name of the step.",
  },
  CALLBACK_TIMEOUT: {
    meaning:
      "A function that the engine was given did not answer in time: a schema, a classifier, a resolver, a subscriber.",
    remedy: "Make it answer, or give it more time with the engine option `callbackTimeoutMs`.",
  },
  CALLBACK_FAILED: {
    meaning: "A function that the engine was given threw, or gave something that cannot be used.",
    remedy: "Correct it; the message says which one it is, and its cause what it threw.",
  },
  STRATEGY_BROKEN: {
    meaning: "A scheduling strategy threw, or chose what does not wait.",
    remedy: "Correct it; the execution goes on first in, first out.",
  },
} as const;
