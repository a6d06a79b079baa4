// A program that reads a ref and then does what its second argument says: `end` has nothing left to do, `stay` waits until it
// is killed. It writes the commit, a content and the ids of the git processes that it uses, and at its end, whether the
// last of them runs. Arguments: the folder of the repository, `end` or `stay`.

import type { ChildProcess } from "node:child_process";
import { writeSync } from "node:fs";
import { Git } from "../../src/git/git.ts";
import { ObjectGit } from "../../src/git/object-git.ts";
import { Repository } from "../../src/git/repository.ts";

const [folder = "", then = ""] = process.argv.slice(2);
const git = await Git.open();
const processes: ChildProcess[] = [];
const start = git.start.bind(git);
git.start = (args, options) => {
  const child = start(args, options);
  if (args.includes("--batch-command")) processes.push(child);
  return child;
};
const repository = await Repository.open(git, folder);
const objects = await ObjectGit.open(repository);
const commit = await repository.resolveBase("main");
const [file] = await objects.listFiles(commit);
const [content] = await objects.readBlobs([file!.blob]);
const pids = processes.map(({ pid }) => pid);
process.stdout.write(`${JSON.stringify({ commit, content: content!.toString("utf8"), pids })}\n`);
process.on("exit", () => {
  writeSync(1, `${processes.at(-1)?.exitCode === null}\n`);
});
if (then === "stay") setInterval(() => {}, 60_000);
