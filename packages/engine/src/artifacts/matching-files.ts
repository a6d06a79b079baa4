// Finds the files that match the patterns of a step, below its working directory (DATA-13).
//
//   MF1. A file counts only if its real path is the path by which it was found: a symbolic link, or a path through one, is refused.
//   MF2. A pattern without wildcards that names a folder stands for all files in it. A pattern that matches no file is refused.
//   MF3. Paths have `/` between their parts and are sorted, so the same files give the same list.

// A named import of `glob` would fail on an old Node.js before its version is checked.
import * as files from "node:fs/promises";
import { join, sep } from "node:path";
import { ArtifactError } from "./artifact-error.ts";

/** The paths relative to the folder. Stops above `max` files. */
export async function matchingFiles(
  folder: string,
  patterns: readonly string[],
  max: number,
): Promise<readonly string[]> {
  const root = await files.realpath(folder);
  const found = new Set<string>();
  for (const pattern of patterns) {
    const before = found.size;
    let matches = 0;
    for await (const path of files.glob(await folderPattern(root, pattern), { cwd: root })) {
      if (!(await isFile(root, path))) continue;
      matches += 1;
      found.add(path.split(sep).join("/"));
      if (found.size > max) throw tooMany(pattern, max);
    }
    if (matches === 0 && found.size === before)
      throw new ArtifactError("ARTIFACT_NOT_FOUND", `no file matches the artifact pattern \`${pattern}\` in ${folder}`);
  }
  return [...found].toSorted();
}

async function folderPattern(root: string, pattern: string): Promise<string> {
  const isFolder = !/[*?[\]{}!]/u.test(pattern) && (await lstatOrNothing(join(root, pattern)))?.isDirectory() === true;
  return isFolder ? `${pattern.replace(/\/+$/u, "")}/**` : pattern;
}

/** MF1. */
async function isFile(root: string, path: string): Promise<boolean> {
  const file = join(root, path);
  const stats = await lstatOrNothing(file);
  if (stats === undefined || stats.isDirectory()) return false;
  if (!stats.isFile() || (await files.realpath(file)) !== file)
    throw new ArtifactError("ARTIFACT_REFUSED", `\`${path}\` is a link or not a regular file, so it is not kept`);
  return true;
}

async function lstatOrNothing(file: string): Promise<Awaited<ReturnType<typeof files.lstat>> | undefined> {
  try {
    return await files.lstat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function tooMany(pattern: string, max: number): ArtifactError {
  return new ArtifactError(
    "ARTIFACT_TOO_LARGE",
    `more than ${max} files match the artifact patterns (the last one was \`${pattern}\`); pack them into one file`,
  );
}
