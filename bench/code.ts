// Code workflows: the engine's and git's part of a task, against the same git commands by a plain script, and the gain of
// agents that work at the same time.
//
// The agent changes one file in a repository of 1,000 files. The plain script runs, one after another, the git commands of a
// task from its worktree to its landing: it neither protects itself from the repository nor survives a crash.

import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import {
  AutoMergePolicy,
  EXECUTOR_DEFAULTS,
  loadTemplate,
  MemoryAgents,
  MemoryEvents,
  openGitRepository,
  WorkflowExecutor,
  type AgentScript,
  type GitRepository,
  type Template,
} from "@segno/code";
import { Engine } from "@segno/engine";
import { contest } from "./contest.ts";
import { figure, ms, type Figure } from "./figure.ts";
import { withFolder } from "./folder.ts";

const FILES = 1000;
const TASKS = 8;
const GIT_PROCESSES_MAX = 15;
const WAITING_TASKS = 24;
const AT_ONCE = 8;
const WAIT_MS = 500;

const ENV = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "bench",
  GIT_AUTHOR_EMAIL: "bench@localhost",
  GIT_COMMITTER_NAME: "bench",
  GIT_COMMITTER_EMAIL: "bench@localhost",
};

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("git", args, { cwd, env: ENV, maxBuffer: 1e8 });
  return stdout.trim();
}

async function createRepository(folder: string): Promise<string> {
  const repository = join(folder, "repository");
  mkdirSync(join(repository, "src"), { recursive: true });
  for (let index = 0; index < FILES; index++) writeFileSync(join(repository, "src", `f${index}.txt`), `${index}\n`);
  await git(repository, "init", "--quiet", "--initial-branch=main");
  await git(repository, "add", "--all");
  await git(repository, "commit", "--quiet", "--message", "files");
  await git(repository, "checkout", "--quiet", "--detach");
  return repository;
}

function tasks(count: number): Template {
  const lines = Array.from({ length: count }, (_, index) => `  - { id: t${index}, instructions: work }`);
  return loadTemplate({ text: `name: bench\ntasks:\n${lines.join("\n")}\n` });
}

interface Bench {
  readonly repository: string;
  readonly opened: GitRepository;
  readonly engine: Engine;
}

/** Runs a workflow whose agents are functions. */
async function runWorkflow(
  { opened, engine }: Bench,
  template: Template,
  agent: AgentScript,
  atOnce: number,
): Promise<void> {
  const policy = new AutoMergePolicy();
  const executor = new WorkflowExecutor(
    {
      agentExecutor: new MemoryAgents({ otherwise: agent }),
      workspacePort: opened.workspaces("worktree"),
      vcsPort: opened.vcs,
      stepMergePolicy: policy,
      workflowMergePolicy: policy,
      eventPort: new MemoryEvents(),
    },
    {
      engine,
      config: { ...EXECUTOR_DEFAULTS, scheduling: { ...EXECUTOR_DEFAULTS.scheduling, maxParallelTasks: atOnce } },
    },
  );
  await executor.executeWorkflow(await executor.instantiateTemplate(template, {}));
  await executor.close();
}

const CHANGE: AgentScript = ({ request }) => {
  writeFileSync(join(request.workspacePath, `${request.taskId}-${request.workflowId}.txt`), "work\n");
  return undefined;
};

/** The git commands of one task, as a script would run them. */
async function plainTask(repository: string, branch: string, n: number): Promise<void> {
  const path = join(repository, ".plain", `${branch}-${n}`);
  const task = `plain/${branch}-${n}`;
  const base = await git(repository, "rev-parse", `refs/heads/${branch}`);
  await git(repository, "worktree", "add", "--quiet", "--no-checkout", "--no-track", "-b", task, path, base);
  await git(path, "read-tree", "-u", "--reset", base);
  writeFileSync(join(path, `plain-${branch}-${n}.txt`), "work\n");
  await git(path, "add", "--all");
  const tree = await git(path, "write-tree");
  await git(path, "diff-tree", "-r", "-z", "--raw", base, tree);
  const commit = await git(path, "commit-tree", tree, "-p", base, "-m", "work");
  await git(path, "update-ref", `refs/heads/${task}`, commit, base);
  const head = await git(repository, "rev-parse", `refs/heads/${branch}`);
  const merged = (await git(repository, "merge-tree", "--write-tree", head, commit)).split("\n")[0]!;
  const landed = await git(repository, "commit-tree", merged, "-p", head, "-p", commit, "-m", "merge");
  await git(repository, "update-ref", `refs/heads/${branch}`, landed, head);
  await git(repository, "worktree", "remove", "--force", path);
  await git(repository, "update-ref", "-d", `refs/heads/${task}`, commit);
}

let rounds = 0;

async function plainWorkflow(repository: string): Promise<void> {
  const branch = `plain-workflow-${rounds++}`;
  await git(repository, "branch", "--no-track", branch, "main");
  for (let n = 0; n < TASKS; n++) await plainTask(repository, branch, n);
}

async function overhead(bench: Bench): Promise<readonly Figure[]> {
  const template = tasks(TASKS);
  await runWorkflow(bench, template, CHANGE, 1);
  const before = bench.opened.processCount;
  await runWorkflow(bench, template, CHANGE, 1);
  const processes = (bench.opened.processCount - before) / TASKS;
  const { oursMs, baselineMs } = await contest({
    ours: () => runWorkflow(bench, template, CHANGE, 1),
    baseline: () => plainWorkflow(bench.repository),
    rounds: 5,
    warmUps: 1,
  });
  return [
    figure(
      `code: ${TASKS} tasks on ${FILES} files, against the same git commands by a plain script`,
      oursMs / baselineMs,
      1.15,
      `${ms(oursMs / TASKS)} against ${ms(baselineMs / TASKS)} a task`,
    ),
    figure(
      `code: git processes of a task, in parts of ${GIT_PROCESSES_MAX}`,
      processes / GIT_PROCESSES_MAX,
      1,
      `${processes.toFixed(1)} processes, with the share of the whole workflow`,
    ),
  ];
}

async function parallel(bench: Bench): Promise<Figure> {
  const template = tasks(WAITING_TASKS);
  const agent: AgentScript = async (scripted) => {
    await sleep(WAIT_MS);
    return CHANGE(scripted);
  };
  const { oursMs, baselineMs } = await contest({
    ours: () => runWorkflow(bench, template, agent, AT_ONCE),
    baseline: () => runWorkflow(bench, template, agent, 1),
    rounds: 1,
    warmUps: 0,
  });
  return figure(
    `code: ${WAITING_TASKS} tasks whose agents wait ${WAIT_MS} ms, ${AT_ONCE} at once against one at a time`,
    oursMs / baselineMs,
    1 / 3.5,
    `${ms(oursMs)} against ${ms(baselineMs)}: ${(baselineMs / oursMs).toFixed(2)} times faster`,
  );
}

export function benchCode(): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    const repository = await createRepository(folder);
    await using opened = await openGitRepository(repository);
    await using engine = await Engine.open({ file: join(folder, "engine.db") });
    const bench = { repository, opened, engine };
    return [...(await overhead(bench)), await parallel(bench)];
  });
}
