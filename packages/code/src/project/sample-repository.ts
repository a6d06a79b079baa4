// Makes a repository from a folder, so that a template can be tried out without touching a repository of the user.

import { cp, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { CodeError } from "../errors/code-error.ts";
import { Git } from "../git/git.ts";
import { isFolder } from "../git/is-folder.ts";

const IDENTITY: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: "Segno",
  GIT_AUTHOR_EMAIL: "segno@localhost",
  GIT_COMMITTER_NAME: "Segno",
  GIT_COMMITTER_EMAIL: "segno@localhost",
};

/** Returns the folder of the new repository: the wanted one, or the first free one with a number. */
export async function createSampleRepository(source: string, wanted: string): Promise<string> {
  if (!(await isFolder(source))) throw new CodeError("REPOSITORY_MISSING", `there is no folder ${source}`);
  const git = await Git.open();
  const folder = await freeFolder(wanted);
  await mkdir(dirname(folder), { recursive: true });
  await cp(source, folder, { recursive: true });
  const run = (...args: readonly string[]): Promise<string> => git.text(args, { cwd: folder, env: IDENTITY });
  await run("init", "--quiet", "--initial-branch=main");
  await run("add", "--all");
  await run("commit", "--quiet", "--message", "Sample");
  // The branch of the workflow lands on `main`, which is not checked out here.
  await run("checkout", "--quiet", "--detach");
  return folder;
}

async function freeFolder(wanted: string): Promise<string> {
  for (let n = 1; ; n++) {
    const folder = n === 1 ? wanted : `${wanted}-${n}`;
    if ((await stat(folder).catch(() => undefined)) === undefined) return folder;
  }
}
