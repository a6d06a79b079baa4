// The error codes of the command itself.

export const COMMAND_CODES = {
  INPUT_UNREADABLE: {
    meaning: "The file that `--input @file` names cannot be read.",
    remedy: "Check the path and the permissions; name a file, not a folder.",
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
