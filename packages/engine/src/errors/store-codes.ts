// Codes of the faults of a store, and of what a check of a store finds.

export const STORE_CODES = {
  STORE_FULL: {
    meaning: "The disk, or the file's allowed size, is full.",
    remedy: "Free some space; the engine then continues by itself.",
  },
  STORE_IO: {
    meaning: "The store could not be read or written.",
    remedy: "Check the disk; the engine tries again by itself.",
  },
  STORE_BUSY: { meaning: "Another process has locked the store.", remedy: "Wait, or end the other process." },
  STORE_READ_ONLY: {
    meaning: "The store cannot be written to.",
    remedy: "Check the permissions. To read the store without writing, open it with `readOnly`.",
  },
  STORE_FENCED: {
    meaning: "A newer owner has changed the execution; the write of the old owner was refused.",
    remedy: "Do nothing: the newer owner continues the execution.",
  },
  STORE_CORRUPT: {
    meaning: "A file is not a Segno store, or it is damaged.",
    remedy: "Check the store to find the damage, and restore a backup (docs/guides/backup.md).",
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
    remedy: "Export the execution from a backup and import it here; an export includes its definitions.",
  },
  ARTIFACT_DAMAGED: {
    meaning: "A file that a step has kept is missing from the folder of artifacts, or was changed in it.",
    remedy: "Copy the folder of artifacts from a backup, or run the step again in a new execution.",
  },
  VALUE_DAMAGED: {
    meaning: "A value that is stored beside a journal is missing, or was changed; it was not removed on request.",
    remedy: "Export the execution from a backup and import it here; an export includes its values.",
  },
  PROJECTION_WRONG: {
    meaning: "The projection of an execution does not match its journal.",
    remedy: "Repair the store, which computes the projection from the journal again.",
  },
  ROWS_ORPHANED: {
    meaning: "Rows of the store belong to no execution: the row of an execution was deleted.",
    remedy: "Export the execution from a backup and import it here, or ignore the rows: the engine does not read them.",
  },
  DOCUMENT_CHANGED: {
    meaning: "A document of the store is not the one that was read: another writer has changed, created or removed it.",
    remedy: "Read the document again, and decide again.",
  },
  DOCUMENT_INVALID: {
    meaning: "A document for the store is not JSON text, or it is larger than 10 MB.",
    remedy: "The message says what was expected. Keep large data in files, and their names in the document.",
  },
  DOCUMENT_DAMAGED: {
    meaning: "A document in the store is not JSON text: it was changed in the file.",
    remedy: "Write the document again, or restore a backup (docs/guides/backup.md).",
  },
  STORE_CODEC: {
    meaning: "The codec is not the one that the store was written with, or the codec fails.",
    remedy: "Open it with the codec and the key that wrote it; the engine retries a codec that fails.",
  },
  STORE_MOVED: {
    meaning:
      "The store's database or its log was moved, deleted or replaced while it was open. Nothing more is written.",
    remedy: "Move the files back to their places, and open the store again.",
  },
  STORE_LINKED: {
    meaning: "The store's database has a second name (a hard link), under which SQLite would not find its log.",
    remedy: "Remove the other name, or copy the database with a backup.",
  },
  STORE_SCHEMA: {
    meaning:
      "The store's database has a table, an index, a trigger or a view that Segno did not create, or lacks one that Segno created.",
    remedy:
      "If you added it, drop it again. Otherwise do not use the file: remove it or restore a backup (docs/guides/backup.md).",
  },
  STORE_FOREIGN: {
    meaning:
      "The store, or a file beside it, was created by another user or on another machine, or a link leads to a store elsewhere. Its unfinished executions would run here.",
    remedy: 'Inspect the store; if you trust it, open it with `foreign: "accept"`.',
  },
  STORE_CLOSED: {
    meaning: "The store was used after it was closed.",
    remedy: "Keep the engine open as long as the program uses it.",
  },
  STORE_UNSUPPORTED: {
    meaning: "The store does not support the operation.",
    remedy: "Use a store that supports it, or the tools of this store.",
  },
  STORE_EXISTS: {
    meaning: "An import or a backup would overwrite existing data.",
    remedy: "Choose another path or id, or remove the existing data first.",
  },
} as const;
