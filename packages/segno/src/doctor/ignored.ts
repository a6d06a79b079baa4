// Checks that git ignores the journal.

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

import { ok, warning, type DoctorFinding } from "./finding.ts";
import { nearestFolder } from "./journal.ts";

const ASK_MS = 10_000;
/** The exit codes of `git check-ignore`; any other code means that the folder is not in a repository. */
const IGNORED = 0;
const NOT_IGNORED = 1;

/** Returns no finding outside of a repository. */
export function checkIgnored(file: string): readonly DoctorFinding[] {
  const words = ["-C", nearestFolder(file), "check-ignore", "--quiet", "--", resolve(file)];
  const { status } = spawnSync("git", words, { timeout: ASK_MS });
  if (status === IGNORED) return [ok("ignored", "git ignores the journal")];
  if (status !== NOT_IGNORED) return [];
  return [warning("ignored", "git would commit the journal", "add the line .segno/ to .gitignore")];
}
