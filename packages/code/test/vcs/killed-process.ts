// A program that does a part of a task and kills itself at a step, as a crash of the engine would. A step is the moment before
// or after a git process that changes something; between other processes nothing can have changed. Arguments: the part, the
// folder of the repository, the number of the step.

import { Git } from "../../src/git/git.ts";
import { ObjectGit } from "../../src/git/object-git.ts";
import { Repository } from "../../src/git/repository.ts";
import { isPart, runPart } from "./task-parts.ts";

const [part = "", folder = "", number = ""] = process.argv.slice(2);
if (!isPart(part)) throw new Error(`there is no part ${part}`);

const git = await Git.open();
const repository = await Repository.open(git, folder);
const objects = await ObjectGit.open(repository);
const run = git.run.bind(git);
const CHANGING = new Set(["add", "commit-tree", "read-tree", "update-index", "update-ref", "worktree", "write-tree"]);
let steps = 0;
const step = (): void => {
  if (++steps === Number(number)) process.kill(process.pid, "SIGKILL");
};
git.run = async (args, options) => {
  const isChanging = args.some((argument) => CHANGING.has(argument)) && !args.includes("-n");
  if (isChanging) step();
  const result = await run(args, options);
  if (isChanging) step();
  return result;
};
await runPart(part, repository, objects);
await objects.close();
await repository.close();
