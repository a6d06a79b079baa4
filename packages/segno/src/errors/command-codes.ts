// The error codes of the command itself.

export const COMMAND_CODES = {
  INPUT_UNREADABLE: {
    meaning: "The file that `--input @file` names cannot be read.",
    remedy: "Check the path and the permissions; name a file, not a folder.",
  },
  WORKFLOW_MODULE_MISSING: {
    meaning: "There is no file with this name that could export a workflow.",
    remedy: "Check the path. It is relative to the current folder; `#name` after it chooses an export.",
  },
  WORKFLOW_MODULE_FAILED: {
    meaning:
      "A module with a workflow could not be imported: its code threw an error, or Node.js cannot load it, or it did not finish in time.",
    remedy:
      "Correct the line that the message shows. Node.js removes the types and does not compile TypeScript, so the module cannot use `enum`, `namespace` or parameter properties.",
  },
  WORKFLOW_EXPORT_MISSING: {
    meaning: "A module does not export a workflow, or the export that `#name` chooses is not a workflow.",
    remedy: "Export the result of `workflow(...)`, or choose one of the exports that the message lists.",
  },
  WORKFLOW_EXPORT_AMBIGUOUS: {
    meaning: "A module exports several workflows, and the command line does not say which of them is meant.",
    remedy: "Write `#name` after the file.",
  },
  FILE_EXISTS: {
    meaning: "A file that the command would write already exists. The command did not change it.",
    remedy: "Choose another name or folder, or move the file away.",
  },
  FILE_UNWRITABLE: {
    meaning: "A file or its folder cannot be written.",
    remedy: "Check the path, the permissions and the free space on the disk.",
  },
  GRAPH_TOO_LARGE: {
    meaning: "A graph has too many steps or dependencies to be drawn.",
    remedy: "Use `--format dot` or `--format json`, or draw a part of it.",
  },
  JOURNAL_OWNED: {
    meaning:
      "Another process owns the journal, and would run the execution in another folder or without the options of this command.",
    remedy: "Omit the options, repeat the command after that process has ended, or name another journal with `--db`.",
  },
  EXECUTION_AMBIGUOUS: {
    meaning: "The ids of several executions begin with these characters.",
    remedy: "Write more characters of the id; `segno list` shows the ids.",
  },
} as const;
