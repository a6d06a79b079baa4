// The error codes of the command itself.

export const COMMAND_CODES = {
  INPUT_UNREADABLE: {
    meaning: "The file that `--input @file` names cannot be read.",
    remedy: "Check the path and the permissions; name a file, not a folder.",
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
  JOURNAL_OWNED: {
    meaning:
      "Another process owns the journal, and would run the execution in another folder or without the options given.",
    remedy: "Leave the options out, run it when that process has ended, or name another journal with `--db`.",
  },
  EXECUTION_AMBIGUOUS: {
    meaning: "More than one execution begins with these characters.",
    remedy: "Give more of the id; `segno list` shows them.",
  },
} as const;
