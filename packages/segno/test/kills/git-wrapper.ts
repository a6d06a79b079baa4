// A program `git` that stands before the real one on PATH. It counts the moments before and after a call that changes something
// (`kill-moments.ts`), and kills the command that called it. Git processes of agents are passed on: their environment does not
// have the variables.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

const CHANGING = "add|commit-tree|init|merge-tree|read-tree|unpack-objects|update-index|update-ref|worktree|write-tree";

/** Writes the wrapper, and returns a PATH that has it. */
export function pathWithWrapper(root: string): string {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const folder = join(root, "bin");
  mkdirSync(folder);
  writeFileSync(join(folder, "git"), script(real));
  chmodSync(join(folder, "git"), 0o755);
  return [folder, process.env["PATH"]].join(delimiter);
}

function script(real: string): string {
  return `#!/bin/sh
name=
for word; do case "$word" in -*) ;; *) name=$word; break ;; esac; done
case "$name" in ${CHANGING}) ;; *) exec '${real}' "$@" ;; esac
[ "$PPID" = "$SEGNO_KILL_PID" ] || exec '${real}' "$@"
moment() {
  echo "$1 git $name" >> "$SEGNO_KILL_LOG"
  [ "$(wc -l < "$SEGNO_KILL_LOG")" -lt "$SEGNO_KILL_AT" ] || { kill -9 "$SEGNO_KILL_PID"; exit 137; }
}
moment before
'${real}' "$@"
code=$?
moment after
exit $code
`;
}
