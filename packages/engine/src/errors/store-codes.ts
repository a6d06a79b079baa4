// Codes of the faults of a store, and of what a check of a store finds.

export const STORE_CODES = {
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
    remedy: "Check the store to find what is damaged, and restore a backup (docs/guides/backup.md).",
  },
  STORE_VERSION: {
    meaning: "A store was written by a newer Segno.",
    remedy: "Use a version of Segno that is at least as new.",
  },
  JOURNAL_DAMAGED: {
    meaning: "Events of an execution are missing, were changed, or contradict each other.",
    remedy: "Export the execution from a backup and import it here.",
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
    remedy: "Repair the store: the projection is computed again from the journal.",
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
    remedy: "Remove the other name, or copy the database with a backup.",
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
    remedy: 'Read what is in the store; if you trust it, open it with `foreign: "accept"`.',
  },
  STORE_CLOSED: {
    meaning: "The store was used after it was closed.",
    remedy: "Keep the engine open as long as it is used.",
  },
  STORE_UNSUPPORTED: {
    meaning: "The store cannot do what was asked of it.",
    remedy: "Use a store that can, or the tools that come with this one.",
  },
  STORE_EXISTS: {
    meaning: "An import or a backup would overwrite what is there.",
    remedy: "Choose another place, or remove what is there first.",
  },
} as const;
