// Keeps git out of repositories inside a folder.
//
// To compare an entry of a nested repository, git runs itself inside that repository and obeys its configuration, filters
// included. Entries that are marked to be skipped are not compared. An index without such entries is left alone, without
// starting a process.

import { readFile } from "node:fs/promises";
import type { IndexOptions } from "./index-options.ts";
import type { ObjectGit } from "./object-git.ts";

const GITLINK = 0o160000;
const HEADER_BYTES = 12;
const MODE_AT = 24;
const OID_AT = 40;
const EXTENDED = 0x4000;

/** Marks the entries of nested repositories in an index of ours. */
export async function skipNested(objects: ObjectGit, options: IndexOptions, oidBytes: number): Promise<void> {
  const nested = await listNested(objects, options, oidBytes);
  if (nested.length === 0) return;
  const input = nested.map((path) => `${path}\0`).join("");
  await objects.text(["update-index", "-z", "--skip-worktree", "--stdin"], { ...options, input });
}

/** The paths of nested repositories in an index of ours. */
export async function listNested(
  objects: ObjectGit,
  options: IndexOptions,
  oidBytes: number,
): Promise<readonly string[]> {
  if (!hasNested(await readFile(options.env.GIT_INDEX_FILE), oidBytes)) return [];
  const lines = (await objects.text(["ls-files", "--stage", "-z"], options)).split("\0");
  return lines.filter((line) => line.startsWith("160000 ")).map((line) => line.slice(line.indexOf("\t") + 1));
}

/** Reads the modes of all entries. An index of a version that is not known counts as one with nested repositories. */
function hasNested(index: Buffer, oidBytes: number): boolean {
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return true;
  let at = HEADER_BYTES;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    if (index.readUInt32BE(at + MODE_AT) === GITLINK) return true;
    const flagsAt = at + OID_AT + oidBytes;
    const isExtended = (index.readUInt16BE(flagsAt) & EXTENDED) !== 0;
    const end = index.indexOf(0, flagsAt + (isExtended ? 4 : 2));
    // Entries are padded with one to eight zero bytes to a multiple of eight.
    at += Math.floor((end - at + 8) / 8) * 8;
  }
  return false;
}
