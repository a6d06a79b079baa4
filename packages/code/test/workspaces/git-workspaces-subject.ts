// Workspaces of git in a sample repository, as the contract suite looks at them.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ObjectGit } from "../../src/git/object-git.ts";
import type { Oid } from "../../src/git/oid.ts";
import type { Repository } from "../../src/git/repository.ts";
import type { Workspaces } from "../../src/workspaces/workspaces.ts";
import { SampleRepository } from "../git/sample-repository.ts";
import type { WorkspacesSubject } from "./workspaces-contract.ts";

export type NewWorkspaces = (repository: Repository, objects: ObjectGit) => Workspaces;

export async function openGitSubject(create: NewWorkspaces): Promise<WorkspacesSubject> {
  const sample = new SampleRepository();
  const { repository, objects } = await sample.open();
  const workspaces = create(repository, objects);
  const pathOf = async (id: string): Promise<string> => (await workspaces.getWorkspacePath(id))!;
  return {
    workspaces,
    base: sample.git("rev-parse", "main"),
    reopen: async () => {
      const later = await sample.open();
      return create(later.repository, later.objects);
    },
    write: async (id, path, text) => sample.write({ [path]: text }, await pathOf(id)),
    remove: async (id, path) => rmSync(join(await pathOf(id), path)),
    read: async (id, path) =>
      orUndefined(() => readFileSync(join(sample.folder, ".segno/worktrees", id, path), "utf8")),
    tamper: async (id) => {
      const file = join(await pathOf(id), ".git");
      rmSync(file, { recursive: true });
      writeFileSync(file, "gitdir: /nonexistent\n");
    },
    head: (branch) => orUndefined(() => sample.git("rev-parse", "--verify", `refs/heads/${branch}`)),
    fileAt: (commit, path) => orUndefined(() => `${sample.git("cat-file", "-p", `${commit}:${path}`)}\n`),
    parents: (commit) => sample.git("show", "--no-patch", "--format=%P", commit).split(" "),
    commit: (parent, files) => sample.commitOn(`other-${parent}`, parent as Oid, files),
    kept: () => sample.git("for-each-ref", "--format=%(objectname)", "refs/segno/x/kept").split("\n").filter(Boolean),
    [Symbol.asyncDispose]: () => sample[Symbol.asyncDispose](),
  };
}

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
