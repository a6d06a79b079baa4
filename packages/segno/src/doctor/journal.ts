// The journal: where it is, who may read and write it, who owns it, and whether it is sound. None is made by looking.

import { thrownMessage } from "@segno/kernel/thrown-text";
import { accessSync, constants, existsSync, readFileSync, realpathSync, statfsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { checkFileSystem, checkSpace } from "./disk.ts";
import { ok, problem, warning, type DoctorFinding } from "./finding.ts";

/** Reading every page of more than this takes longer than people wait for a doctor. */
const QUICK_BYTES_MAX = 1024 * 1024 * 1024;

/** When the journal was last written; nothing where there is none. */
export function writtenAt(file: string): number | undefined {
  const times = [file, `${file}-wal`].map((each) => statSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return existsSync(file) ? Math.max(...times) : undefined;
}

export async function checkJournal(file: string): Promise<readonly DoctorFinding[]> {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile())
    return [problem("journal", `${file} is not a file`, "--db names another place"), ...checkPlace(file)];
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
  if (mayWrite(folder)) return ok("journal", `there is none yet at ${resolve(file)}; segno run makes one`);
  return problem("journal", `${folder} cannot be written, so none can be made there`, "--db names another place");
}

/** The folder that is there, of those that lead to the file. */
export function nearestFolder(file: string): string {
  let folder = dirname(resolve(file));
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

function checkAccess(file: string, owner: number, mode: number): DoctorFinding {
  if (!mayRead(file))
    return problem("access", "the journal cannot be read by whoever runs this", "check its permissions");
  if (!mayWrite(file) || !mayWrite(dirname(resolve(file))))
    return problem("access", "the journal or its folder cannot be written by whoever runs this", "check permissions");
  const me = process.getuid?.();
  if (me !== undefined && owner !== me)
    return warning("access", `the journal belongs to user ${owner}, and this runs as ${me}`, "run it as one user");
  if ((mode & 0o077) !== 0 && process.platform !== "win32")
    return warning("access", `others on this machine may read the journal (${octal(mode)})`, `chmod 600 ${file}`);
  return ok("access", "only whoever runs this may read and write the journal");
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

/** Needs `node:sqlite`, so it is loaded only here: without it everything else can still be told. */
async function checkInside(file: string, size: number): Promise<readonly DoctorFinding[]> {
  try {
    const { inspectOwner, inspectPages, inspectSchema } = await import("@segno/engine");
    return [
      await runCheck("owner", () => ownerFinding(inspectOwner(file))),
      await runCheck("schema", () => ok("schema", `version ${inspectSchema(file)}, as this Segno has it`)),
      size > QUICK_BYTES_MAX
        ? ok("pages", "the journal is too large to be read by the way; segno db check reads all of it")
        : await runCheck("pages", () => pagesFinding(inspectPages(file))),
    ];
  } catch (error) {
    return [problem("schema", `the journal cannot be opened: ${thrownMessage(error)}`, "see sqlite above")];
  }
}

function ownerFinding({ isOwned, pid }: { readonly isOwned: boolean; readonly pid?: number }): DoctorFinding {
  if (!isOwned) return ok("owner", "no process works on the journal");
  return ok(
    "owner",
    `${pid === undefined ? "a process" : `process ${pid}`} works on the journal; others read and post`,
  );
}

function pagesFinding(damage: readonly string[]): DoctorFinding {
  if (damage.length === 0) return ok("pages", "SQLite finds nothing wrong; segno db check looks closer");
  const remedy =
    "stop what uses it, keep a copy, and go on with the last backup; segno db check says which executions are whole";
  return problem("pages", `the file is damaged: ${damage.join("; ")}`, remedy);
}

const NO_REMEDY = "segno db check may say more";

/** A fault of the store is a finding, with what its code says is to be done. */
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
