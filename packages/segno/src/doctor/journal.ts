// Checks the journal: location, permissions, owner, integrity. The check does not create a journal.

import { thrownMessage } from "@segno/kernel/thrown-text";
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

import { checkFileSystem, checkSpace } from "./disk.ts";
import { ok, problem, warning, type DoctorFinding } from "./finding.ts";

/** Reading every page of a larger file takes too long for this command. */
const QUICK_BYTES_MAX = 1024 * 1024 * 1024;

/** The time of the last write to the journal; nothing without a journal. */
export function writtenAt(file: string): number | undefined {
  // A log that is a link is refused elsewhere; here it must not be followed, because it may lead to itself.
  const stats = [statSync(file, { throwIfNoEntry: false }), lstatSync(`${file}-wal`, { throwIfNoEntry: false })];
  return existsSync(file) ? Math.max(...stats.map((stat) => stat?.mtimeMs ?? 0)) : undefined;
}

export async function checkJournal(file: string): Promise<readonly DoctorFinding[]> {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile())
    return [problem("journal", `${file} is not a file`, "choose another file with --db"), ...checkPlace(file)];
  if (stat === undefined) return [checkMissing(file), ...checkPlace(file)];
  return [
    ok("journal", resolve(file)),
    checkAccess(file, stat.uid, stat.mode),
    ...(await checkInside(file, stat.size)),
    ...checkPlace(file),
  ];
}

function checkMissing(file: string): DoctorFinding {
  const folder = nearestFolder(file);
  if (mayWrite(folder)) return ok("journal", `there is no journal at ${resolve(file)} yet; segno run creates one`);
  return problem(
    "journal",
    `${folder} cannot be written, so no journal can be created there`,
    "choose another file with --db",
  );
}

/** The nearest existing folder on the path of the file. */
export function nearestFolder(file: string): string {
  let folder = dirname(resolve(file));
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

function checkAccess(file: string, owner: number, mode: number): DoctorFinding {
  if (!mayRead(file)) return problem("access", "this user cannot read the journal", "check its permissions");
  if (!mayWrite(file) || !mayWrite(dirname(resolve(file))))
    return problem("access", "this user cannot write the journal or its folder", "check permissions");
  const me = process.getuid?.();
  if (me !== undefined && owner !== me)
    return warning(
      "access",
      `the journal belongs to user ${owner}, but this process runs as user ${me}`,
      "run it as one user",
    );
  if ((mode & 0o077) !== 0 && process.platform !== "win32")
    return warning("access", `other users of this machine can read the journal (${octal(mode)})`, `chmod 600 ${file}`);
  return ok("access", "only this user can read and write the journal");
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(3, "0");
}

function mayRead(path: string): boolean {
  return may(path, constants.R_OK);
}

function mayWrite(path: string): boolean {
  return may(path, constants.W_OK);
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Imported here because it needs `node:sqlite`: without that module all other checks still run. */
async function checkInside(file: string, size: number): Promise<readonly DoctorFinding[]> {
  try {
    const { inspectOwner, inspectPages, inspectSchema } = await import("@segno/engine");
    return [
      await runCheck("owner", () => ownerFinding(inspectOwner(file))),
      await runCheck("schema", () => ok("schema", `version ${inspectSchema(file)}, the version of this Segno`)),
      size > QUICK_BYTES_MAX
        ? ok("pages", "the journal is too large for this check; segno db check reads all of it")
        : await runCheck("pages", () => pagesFinding(inspectPages(file))),
    ];
  } catch (error) {
    return [problem("schema", `the journal cannot be opened: ${thrownMessage(error)}`, "see sqlite above")];
  }
}

function ownerFinding({ isOwned, pid }: { readonly isOwned: boolean; readonly pid?: number }): DoctorFinding {
  if (!isOwned) return ok("owner", "no process owns the journal");
  return ok(
    "owner",
    `${pid === undefined ? "a process" : `process ${pid}`} owns the journal; other processes can read it and post to it`,
  );
}

function pagesFinding(damage: readonly string[]): DoctorFinding {
  if (damage.length === 0) return ok("pages", "SQLite finds no damage; segno db check checks more");
  const remedy =
    "stop the processes that use it, keep a copy, and restore the last backup; segno db check lists the damaged executions";
  return problem("pages", `the file is damaged: ${damage.join("; ")}`, remedy);
}

const NO_REMEDY = "run segno db check for details";

/** A fault of the store becomes a finding with the remedy of its code. */
async function runCheck(check: string, look: () => DoctorFinding): Promise<DoctorFinding> {
  try {
    return look();
  } catch (error) {
    const { SegnoError } = await import("@segno/kernel");
    if (!(error instanceof SegnoError)) return problem(check, thrownMessage(error), NO_REMEDY);
    const { CATALOGUE, isErrorCode } = await import("../errors/catalogue.ts");
    const remedy = isErrorCode(error.code) ? CATALOGUE[error.code].remedy : NO_REMEDY;
    return problem(check, `${error.code} ${error.message}`, remedy);
  }
}

function checkPlace(file: string): readonly DoctorFinding[] {
  const folder = realpathSync(nearestFolder(file));
  const { bavail, bsize } = statfsSync(folder);
  return [checkSpace(bavail * bsize), checkFileSystem(mountsText(), join(folder))];
}

function mountsText(): string | undefined {
  try {
    return readFileSync("/proc/self/mounts", "utf8");
  } catch {
    return undefined;
  }
}
