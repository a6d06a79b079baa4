// Decides whether the changes of an agent may be committed (CODE-4).
//
//   CP1. Refused are paths that git treats specially or that usually hold secrets, files that are too large, links that
//        leave the workspace, obvious secrets, and conflict markers that were to be resolved.
//   CP2. Only what the agent adds counts: a secret that the file contained before is not the agent's.
//   CP3. A file with several hard links may be a file from outside the workspace, and is refused.

import { lstat } from "node:fs/promises";
import { join, posix } from "node:path";
import type { FileChange } from "../git/file-change.ts";
import type { ObjectGit } from "../git/object-git.ts";
import type { Oid } from "../git/oid.ts";
import { hasConflictMarkers } from "./conflict-markers.ts";
import { findSecrets } from "./secret-patterns.ts";

/** Rules for the files that are committed. */
export interface CommitPolicy {
  /** Names of files and folders that are never committed, besides those of git itself. */
  readonly deniedNames: readonly RegExp[];
  readonly fileBytesMax: number;
}

/** The default rules for commits of agents: no files with secrets, and no file above 10 MiB. */
export const COMMIT_POLICY: CommitPolicy = {
  deniedNames: [
    /^\.env(?!\.(?:example|sample|template|dist|defaults)$)(?:\..*)?$/u,
    /^id_(?:rsa|dsa|ecdsa|ed25519)$/u,
    /^\.(?:netrc|pgpass|git-credentials)$/u,
  ],
  fileBytesMax: 10 * 1024 * 1024,
};

export interface ProposedCommit {
  readonly tree: Oid;
  readonly changes: readonly FileChange[];
  /** The folder of the files; undefined if the commit was not made from files. */
  readonly folder: string | undefined;
  readonly conflictedPaths: readonly string[];
}

const LINK = "120000";
/** Blobs are read in groups, to limit the memory. */
const GROUP_BYTES_MAX = 32 * 1024 * 1024;

/** The reason why the changes are refused; undefined if they are not. */
export async function findRefusal(
  objects: ObjectGit,
  policy: CommitPolicy,
  commit: ProposedCommit,
): Promise<string | undefined> {
  const present = commit.changes.filter(({ status }) => status !== "deleted");
  const denied = present.find((change) => isDenied(change, policy));
  if (denied !== undefined) return `\`${denied.path}\` must not be committed`;
  const facts = await readFacts(objects, commit.folder, present);
  const linked = present.find((_, index) => facts[index]!.isHardLinked);
  if (linked !== undefined) return `\`${linked.path}\` has another hard link, maybe outside the workspace`;
  const large = present.find((_, index) => facts[index]!.bytes > policy.fileBytesMax);
  if (large !== undefined) return `\`${large.path}\` is larger than ${policy.fileBytesMax} bytes`;
  for (const group of inGroups(present, facts)) {
    const reason = await findInContents(objects, group, commit.conflictedPaths);
    if (reason !== undefined) return reason;
  }
  return await findOldMarkers(objects, commit);
}

/** Forms of `.git` that some disks treat as the same name, and modules, which name repositories to fetch. */
const GIT_NAME = /^(?:\.git|git~\d+)[ .]*(?::.*)?$|^\.gitmodules$/iu;
/** Characters that some disks ignore in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

function isDenied({ path, mode }: FileChange, { deniedNames }: CommitPolicy): boolean {
  const names = path.split("/");
  if (names[0]!.toLowerCase() === ".segno" && mode === LINK) return true;
  return names.some(
    (name) => GIT_NAME.test(name.replaceAll(IGNORED, "")) || deniedNames.some((denied) => denied.test(name)),
  );
}

interface FileFacts {
  readonly bytes: number;
  readonly isHardLinked: boolean;
}

async function readFacts(
  objects: ObjectGit,
  folder: string | undefined,
  changes: readonly FileChange[],
): Promise<readonly FileFacts[]> {
  if (folder === undefined) {
    const sizes = changes.length === 0 ? [] : await objects.blobSizes(changes.map(({ blob }) => blob!));
    return sizes.map((bytes) => ({ bytes, isHardLinked: false }));
  }
  return await Promise.all(
    changes.map(async ({ path }) => {
      const found = await lstat(join(folder, path)).catch(() => undefined);
      return { bytes: found?.size ?? 0, isHardLinked: found?.isFile() === true && found.nlink > 1 };
    }),
  );
}

function* inGroups(changes: readonly FileChange[], facts: readonly FileFacts[]): Generator<readonly FileChange[]> {
  let group: FileChange[] = [];
  let bytes = 0;
  for (const [index, change] of changes.entries()) {
    if (group.length > 0 && bytes + facts[index]!.bytes > GROUP_BYTES_MAX) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(change);
    bytes += facts[index]!.bytes;
  }
  if (group.length > 0) yield group;
}

async function findInContents(
  objects: ObjectGit,
  changes: readonly FileChange[],
  conflictedPaths: readonly string[],
): Promise<string | undefined> {
  const contents = await objects.readBlobs(changes.map(({ blob }) => blob!));
  for (const [index, change] of changes.entries()) {
    const text = contents[index]!.toString("latin1");
    if (change.mode === LINK && leaves(change.path, contents[index]!.toString("utf8")))
      return `\`${change.path}\` is a link that leaves the workspace`;
    if (conflictedPaths.includes(change.path) && hasConflictMarkers(text))
      return `\`${change.path}\` still has conflict markers`;
    const secret = await findNewSecret(objects, text, change.before?.blob);
    if (secret !== undefined) return `\`${change.path}\` contains ${secret}`;
  }
  return undefined;
}

function leaves(path: string, target: string): boolean {
  if (posix.isAbsolute(target) || /^[A-Za-z]:|\\/u.test(target)) return true;
  const reached = posix.normalize(posix.join(posix.dirname(path), target));
  return reached === ".." || reached.startsWith("../");
}

/** CP2. */
async function findNewSecret(objects: ObjectGit, text: string, before: Oid | undefined): Promise<string | undefined> {
  const found = findSecrets(text);
  if (found.length === 0 || before === undefined) return found[0]?.name;
  const [content] = await objects.readBlobs([before]);
  const known = new Set(findSecrets(content!.toString("latin1")).map((secret) => secret.text));
  return found.find((secret) => !known.has(secret.text))?.name;
}

/** A file that the agent did not touch is no change, but may still have the markers of the commit it started from. */
async function findOldMarkers(
  objects: ObjectGit,
  { changes, tree, conflictedPaths }: ProposedCommit,
): Promise<string | undefined> {
  const changed = new Set(changes.map(({ path }) => path));
  const untouched = new Set(conflictedPaths.filter((path) => !changed.has(path)));
  if (untouched.size === 0) return undefined;
  const entries = (await objects.listFiles(tree)).filter(({ path, mode }) => untouched.has(path) && mode !== LINK);
  const contents = await objects.readBlobs(entries.map(({ blob }) => blob));
  const marked = entries.find((_, index) => hasConflictMarkers(contents[index]!.toString("latin1")));
  return marked === undefined ? undefined : `\`${marked.path}\` still has conflict markers`;
}
