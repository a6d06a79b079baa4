// Codes of faults: of the command, of stores and of the engine.

export const FAULT_CODES = {
  // Faults of the command.
  INPUT_UNREADABLE: {
    meaning: "The file that `--input @file` names cannot be read.",
    remedy: "Check the path and the permissions; name a file, not a folder.",
  },
  JOURNAL_MISSING: {
    meaning: "There is no journal at the place where one is looked for.",
    remedy: "`segno run` makes one; `--db` names another place.",
  },
  FILE_EXISTS: {
    meaning: "A file that would be written is there already. It is left as it is.",
    remedy: "Choose another name or folder, or move the file away.",
  },
  FILE_UNWRITABLE: {
    meaning: "A file or its folder cannot be written.",
    remedy: "Check the path, the permissions and the room on the disk.",
  },
  GRAPH_TOO_LARGE: {
    meaning: "A graph has too many steps or dependencies to be drawn.",
    remedy: "Use `--format dot` or `--format json`, or draw a part of it.",
  },

  NODE_UNSUPPORTED: {
    meaning: "The Node.js that runs the program is too old, or comes without SQLite.",
    remedy: "Install Node.js 24 or newer, and take `--no-experimental-sqlite` out of `NODE_OPTIONS`.",
  },

  // Faults of the store.
  STORE_FULL: {
    meaning: "The disk, or the file's allowed size, is full.",
    remedy: "Make room; the engine goes on by itself.",
  },
  STORE_IO: {
    meaning: "The store could not be read or written.",
    remedy: "Look at the disk; the engine tries again by itself.",
  },
  STORE_BUSY: { meaning: "Somebody else holds the store.", remedy: "Wait, or end the other process." },
  STORE_READ_ONLY: {
    meaning: "The store cannot be written to.",
    remedy: "Check permissions, or open it `readOnly` on purpose.",
  },
  STORE_FENCED: {
    meaning: "An execution was changed by a newer owner; what the old one wanted to write was refused.",
    remedy: "Nothing: the newer owner goes on with it.",
  },
  STORE_CORRUPT: {
    meaning: "A file is not a Segno store, or it is damaged.",
    remedy: "Run `segno db check`, which names what is damaged, and restore a backup (docs/guides/backup.md).",
  },
  STORE_VERSION: {
    meaning: "A store was written by a newer Segno.",
    remedy: "Use a version of Segno that is at least as new.",
  },
  JOURNAL_DAMAGED: {
    meaning: "Events of an execution are missing, were changed, or contradict each other.",
    remedy: "Take the execution from a backup: `segno db export` there, `segno db import` here.",
  },
  DEFINITION_DAMAGED: {
    meaning: "A definition that an execution was started with is missing from the store, or was changed in it.",
    remedy: "Take the execution from a backup: an export brings its definitions along.",
  },
  VALUE_DAMAGED: {
    meaning: "A value that is kept beside a journal is missing, or was changed; it was not removed on request.",
    remedy: "Take the execution from a backup: an export brings its values along.",
  },
  PROJECTION_WRONG: {
    meaning: "What the store says about an execution does not follow from its journal.",
    remedy: "`segno db repair` makes it again from the journal.",
  },
  ROWS_ORPHANED: {
    meaning: "Rows of the store belong to no execution: the row of an execution was deleted.",
    remedy: "Take the execution from a backup, or ignore the rows: nothing reads them.",
  },
  STORE_CODEC: {
    meaning: "The codec is not the one that the store was written with, or it fails at the moment.",
    remedy: "Open it with the codec and the key that it was made with; one that fails is tried again.",
  },
  STORE_MOVED: {
    meaning:
      "The store's database or its log was moved, deleted or replaced while it was open. Nothing more is written.",
    remedy: "Put the files back where they were, and open the store again.",
  },
  STORE_LINKED: {
    meaning: "The store's database has a second name (a hard link), under which its log would be missed.",
    remedy: "Remove the other name, or copy the database with `segno db backup`.",
  },
  STORE_SCHEMA: {
    meaning:
      "The store's database has a table, an index, a trigger or a view that Segno did not make, or lacks one that it did.",
    remedy:
      "If you added it, drop it again. Otherwise do not use the file: remove it or restore a backup (docs/guides/backup.md).",
  },
  STORE_FOREIGN: {
    meaning:
      "The store, or a file beside it, was created by another user or on another machine, or a link leads to a store elsewhere. Its unfinished executions would run here.",
    remedy: 'Look at it with `segno list`; if you trust it, `segno work --yes` or `foreign: "accept"` goes on with it.',
  },
  STORE_CLOSED: {
    meaning: "The store was used after it was closed.",
    remedy: "Keep the engine open as long as it is used.",
  },

  // The engine.
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
  STORE_UNSUPPORTED: {
    meaning: "The store cannot do what was asked of it.",
    remedy: "Use a store that can, or the tools that come with this one.",
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
  JOURNAL_OWNED: {
    meaning:
      "Another process owns the journal, and would run the execution in another folder or without the options given.",
    remedy: "Leave the options out, run it when that process has ended, or name another journal with `--db`.",
  },
  ENGINE_NOT_OWNER: {
    meaning: "Another process owns the store, and this was asked of a process that only reads.",
    remedy: "Open the engine without `readOnly`, or ask the owner.",
  },
  STORE_EXISTS: {
    meaning: "An import or a backup would overwrite what is there.",
    remedy: "Choose another place, or remove what is there first.",
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
  EXECUTION_AMBIGUOUS: {
    meaning: "More than one execution begins with these characters.",
    remedy: "Give more of the id; `segno list` shows them.",
  },
  STEP_UNKNOWN: {
    meaning: "The execution has no such step.",
    remedy: "`segno show` lists its steps.",
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
