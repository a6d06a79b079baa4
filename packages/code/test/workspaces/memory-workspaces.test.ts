import { MemoryWorkspaces } from "../../src/workspaces/memory-workspaces.ts";
import { MemoryRepository } from "../../src/git/memory-repository.ts";
import { describeWorkspaces, type WorkspacesSubject } from "./workspaces-contract.ts";

async function open(): Promise<WorkspacesSubject> {
  const repository = new MemoryRepository({ "a.txt": "one\n" });
  const workspaces = new MemoryWorkspaces(repository);
  return {
    workspaces,
    base: repository.resolve("refs/heads/main")!,
    reopen: async () => workspaces,
    write: async (id, path, text) => workspaces.write(id, path, text),
    remove: async (id, path) => workspaces.remove(id, path),
    read: async (id, path) => workspaces.read(id, path),
    tamper: async (id) => workspaces.tamper(id, "a test says so"),
    head: (branch) => repository.resolve(`refs/heads/${branch}`),
    fileAt: (commit, path) => repository.read(commit).files.get(path),
    parents: (commit) => repository.read(commit).parents,
    commit: async (parent, files) =>
      repository.commit({
        files: new Map([...repository.read(parent).files, ...Object.entries(files)]),
        parents: [parent],
        message: "change",
        atMs: 0,
      }),
    kept: () => repository.refs("refs/segno/x/kept/").map((ref) => repository.resolve(ref)!),
    async [Symbol.asyncDispose]() {},
  };
}

describeWorkspaces("in memory", open);
