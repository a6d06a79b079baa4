// Repositories that tests copy. Each is made once in a run of all tests: the processes of git cost more than a copy.

import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folder of the templates, which all processes of a run share. */
const VARIABLE = "SAMPLE_TEMPLATES";

/** Vitest calls it before the first test, and calls the result after the last one: processes of tests end without notice. */
export function setup(): () => void {
  const folder = openFolder();
  return () => rmSync(folder, { recursive: true, force: true });
}

/** The folder of a template. `make` fills it, unless a process of this run has done that. */
export function sampleTemplate(key: string, make: (folder: string) => void): string {
  const all = process.env[VARIABLE] ?? openOwnFolder();
  const folder = join(all, createHash("sha256").update(key).digest("hex"));
  if (existsSync(folder)) return folder;
  const made = mkdtempSync(join(all, "new-"));
  make(made);
  try {
    renameSync(made, folder);
  } catch (error) {
    // Another process has made it meanwhile.
    if (!existsSync(folder)) throw error;
    rmSync(made, { recursive: true, force: true });
  }
  return folder;
}

/** For a program that is not a test of Vitest. */
function openOwnFolder(): string {
  const folder = openFolder();
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "segno-code-templates-"));
  process.env[VARIABLE] = folder;
  return folder;
}
