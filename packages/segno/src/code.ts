// segno/code: coding agents on a git repository, merged exactly once.

export * from "@segno/code";
