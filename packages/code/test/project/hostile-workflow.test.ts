// Agents that attack the engine's git, the repository and the checkout of the user, in whole workflows.

import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecutionHandle } from "@segno/engine";
import { describe, expect, it } from "vitest";
import { EXECUTOR_DEFAULTS } from "../../src/config/executor-config.ts";
import { quick } from "../executor/memory-executor.ts";
import { plantingScript } from "../git/planted-programs.ts";
import { CodeProject } from "./code-project.ts";
import { readCodeReport } from "../../src/project/task-report.ts";

const EVIL = "* filter=evil merge=evil diff=evil\n";
const GIT = "git -c user.name=a -c user.email=a@b";

type Scripts = Readonly<Record<string, string>>;

/** Each task has a script of its own; a fix of a conflict writes `a.txt`. A task that fails is not tried again. */
async function run(project: CodeProject, scripts: Scripts, workspaces = "worktree"): Promise<ExecutionHandle> {
  const cases = Object.entries(scripts).map(([task, script]) => `${task}) ${script} ;;`);
  const fix = 'case "$SEGNO_TASK_KIND" in fix.*) echo both > a.txt; exit 0 ;; esac';
  const agent = project.agent("agent.sh", `${fix}\ncase "$SEGNO_TASK_ID" in\n${cases.join("\n")}\nesac`);
  const template = [
    `name: hostile\npolicies: { step: checks, workflow: checks, checks: ["true"] }\nworkspaces: ${workspaces}`,
    `agent: worker\nagents: { worker: { command: ["${agent}"] } }\ntasks:`,
    ...Object.keys(scripts).map((id) => `  - { id: ${id}, instructions: i }`),
  ].join("\n");
  const config = quick(EXECUTOR_DEFAULTS);
  return await project.start(template, { ...config, retry: { ...config.retry, maxAttempts: 1 } });
}

async function statuses(handle: ExecutionHandle): Promise<Readonly<Record<string, string>>> {
  await handle.result().catch(() => undefined);
  const merges = (await handle.status()).steps.filter(({ name }) => /^merge-[^/]+$/u.test(name));
  return Object.fromEntries(merges.map(({ name, status }) => [name.slice("merge-".length), status]));
}

const all = (scripts: Scripts, status: string): Scripts =>
  Object.fromEntries(Object.keys(scripts).map((id) => [id, status]));

/** Scripts whose files land, because nothing of the engine depends on what else they do. */
const HARMLESS: Scripts = {
  switched: "git checkout -q -b mine-$SEGNO_TASK_ID; echo 1 > switched.txt",
  detached: "git checkout -q --detach; echo 1 > detached.txt",
  committed: `echo 1 > committed.txt; git add -A; ${GIT} commit -q -m mine`,
  hidden: "echo 1 > hidden.txt; echo two > a.txt; git update-index --assume-unchanged a.txt",
  locked: 'echo 1 > locked.txt; touch "$(git rev-parse --git-dir)/index.lock"',
  unlocked: "echo 1 > unlocked.txt; git worktree unlock . || true",
  branchless: "echo 1 > branchless.txt; git checkout -q --detach; git branch -q -D $SEGNO_BRANCH",
  aliased: "echo 1 > aliased.txt; git config --worktree alias.add '!touch canary' || true",
  piped:
    'echo 1 > piped.txt; log="$(git rev-parse --git-dir)/logs/HEAD"; rm -f "$log"; mkdir -p "$(dirname "$log")"; mkfifo "$log"',
  headless: 'echo 1 > headless.txt; echo "ref: refs/heads/elsewhere" > "$(git rev-parse --git-dir)/HEAD"',
};

/** Scripts whose work is refused. */
const REFUSED: Scripts = {
  redirected:
    'git init -q "$SEGNO_WORKSPACE.o"; rm -rf .git; echo "gitdir: $SEGNO_WORKSPACE.o/.git" > .git; echo 1 > r',
  gitless: "echo 1 > gitless.txt; rm -rf .git",
  renewed: "rm -rf .git; git init -q; echo 1 > renewed.txt",
  committer: `rm -rf .git; git init -q -b "$SEGNO_BRANCH"; echo 1 > c.txt; git add -A; ${GIT} commit -q -m mine`,
  fifo: "rm -rf .git; mkfifo .git; echo 1 > fifo.txt",
  nested: "git init -q nested; echo 1 > nested/bad.txt",
  linked: "ln -s /etc/passwd outside",
  merging: `git checkout -q -b o; echo 1 > a.txt; ${GIT} commit -qam o; git checkout -q "$SEGNO_BRANCH"; echo 2 > a.txt; ${GIT} commit -qam t; ${GIT} merge -q o || true`,
  rebasing: `git checkout -q -b p; echo 1 > a.txt; ${GIT} commit -qam p; git checkout -q "$SEGNO_BRANCH"; echo 2 > a.txt; ${GIT} commit -qam t; ${GIT} rebase -q p || true`,
};

describe.each(["worktree", "clone"])("hostile agents in a %s", (kind) => {
  it("CODE-4 CODE-9 CODE-11 harm only their own tasks, and folders with refused work are kept", async () => {
    await using project = new CodeProject();
    const before = project.everything();
    const deleted = { deleted: 'cd ..; rm -rf "$SEGNO_WORKSPACE"' };
    const handle = await run(project, { ...HARMLESS, ...REFUSED, ...deleted }, kind);
    const expected = { ...all(HARMLESS, "succeeded"), ...all(REFUSED, "skipped"), deleted: "skipped" };
    expect(await statuses(handle)).toEqual(expected);
    const landed = project.git("ls-tree", "--name-only", `workflow/${handle.id}`).split("\n");
    expect(landed).toEqual(["a.txt", ...Object.keys(HARMLESS).map((id) => `${id}.txt`)].toSorted());
    const folder = join(project.folder, ".segno/worktrees", handle.id);
    for (const task of Object.keys(REFUSED)) expect(existsSync(join(folder, task)), task).toBe(true);
    expect(project.everything()).toEqual(before);
  });

  it("CODE-11 plant programs wherever git looks for them, and none of them runs", async () => {
    await using project = new CodeProject({ "a.txt": "one\n", ".gitattributes": EVIL });
    project.git("checkout", "--quiet", "-b", "mine");
    const own = plantingScript(project, '"$(git rev-parse --git-common-dir)"');
    const users = plantingScript(project, `'${project.folder}/.git'`);
    const plants = `echo 1 > 1.txt; echo two > a.txt; ${own}\n${users}`;
    const handle = await run(project, { plants, after: "echo 1 > 2.txt; echo three > a.txt" }, kind);
    expect(await statuses(handle)).toEqual({ plants: "succeeded", after: "succeeded" });
    // The agent has written settings of the user's repository.
    project.watched.accept();
    expect(project.canariesRun).toEqual([]);
    expect(project.git("config", "-f", ".git/config", "core.fsmonitor")).toContain("canaries");
  });
});

/** Scripts that change the objects of a clone. Its history is read only if no file has changed. */
const CLONE_ONLY: Scripts = {
  borrowing: "echo /elsewhere/objects >> .git/objects/info/alternates; echo 1 > borrowing.txt",
  lonely: "rm .git/objects/info/alternates; echo 1 > lonely.txt",
  linked: "mv .git/objects ../objects-of-linked; ln -s ../../objects-of-linked .git/objects; echo 1 > linked.txt",
  corrupt: `echo mine > corrupt.txt; git add -A; ${GIT} commit -q -m mine; b=$(git rev-parse :corrupt.txt); echo other > .git/other; o=$(git hash-object -w .git/other); f() { echo ".git/objects/$(echo "$1" | cut -c1-2)/$(echo "$1" | cut -c3-)"; }; cp -f "$(f $o)" "$(f $b)"; git checkout -q --detach HEAD~1 -f`,
};

describe("an agent that replaces parts of its clone", () => {
  it("CODE-4 CODE-9 CODE-11 fails its task, and its folder is kept", async () => {
    await using project = new CodeProject();
    const before = project.everything();
    const handle = await run(project, { ...CLONE_ONLY, good: "echo 1 > good.txt" }, "clone");
    expect(await statuses(handle)).toEqual({ ...all(CLONE_ONLY, "skipped"), good: "succeeded" });
    const folder = join(project.folder, ".segno/worktrees", handle.id);
    for (const task of Object.keys(CLONE_ONLY)) expect(existsSync(join(folder, task)), task).toBe(true);
    expect(project.git("fsck", "--connectivity-only")).not.toContain("missing");
    expect(project.everything()).toEqual(before);
  });
});

describe.each(["worktree", "clone"])("an agent that makes its git directory anew in a %s", (kind) => {
  it("CODE-11 runs none of the programs that it plants there", async () => {
    await using project = new CodeProject({ "a.txt": "one\n", ".gitattributes": EVIL });
    project.git("checkout", "--quiet", "-b", "mine");
    const plants = plantingScript(project, ".git");
    const handle = await run(project, { anew: `rm -rf .git; git init -q; echo two > a.txt; ${plants}` }, kind);
    expect(await statuses(handle)).toEqual({ anew: "skipped" });
    expect(project.canariesRun).toEqual([]);
    const session = (await handle.status()).steps.find(({ name }) => name === "session-anew");
    expect(JSON.stringify(session)).toContain("replaced the git directory");
  });
});

describe("an agent that writes outside its workspace", () => {
  it("CODE-9 CODE-11 cannot make the engine move another branch by the record of its workspace", async () => {
    await using project = new CodeProject();
    project.git("checkout", "--quiet", "-b", "mine");
    const main = project.git("rev-parse", "main");
    const record = '"../.records/$SEGNO_TASK_ID.json"';
    const scripts = {
      moved: `echo 1 > moved.txt; sed -i 's#"branch":"[^"]*"#"branch":"main"#' ${record}`,
      broken: `echo 1 > broken.txt; echo garbage > ${record}`,
      piped: `echo 1 > piped.txt; rm ${record}; mkfifo ${record}`,
    };
    const handle = await run(project, scripts);
    expect(await statuses(handle)).toEqual(all(scripts, "skipped"));
    const failures = JSON.stringify((await handle.status()).steps);
    expect(failures.match(/names `main`|is not the record of a workspace/gu)!.length).toBeGreaterThanOrEqual(3);
    expect(project.git("rev-parse", "main")).toBe(main);
  });

  it("CODE-4 CODE-11 changes files of the user, which are neither committed nor overwritten by the landing", async () => {
    await using project = new CodeProject();
    const handle = await run(project, { out: `echo agent > '${project.folder}/a.txt'; echo two > a.txt` });
    const landing = async (): Promise<string | undefined> =>
      (await handle.status()).steps.find(({ name }) => name === "land")?.status;
    await expect.poll(landing).toBe("running");
    expect(readFileSync(join(project.folder, "a.txt"), "utf8")).toBe("agent\n");
    project.watched.accept();
    expect(project.git("show", `workflow/${handle.id}:a.txt`)).toBe("two");
    project.git("checkout", "--quiet", "a.txt");
    await project.finish(handle);
    expect(project.git("show", "main:a.txt")).toBe("two");
  });
});

describe("an agent that writes to the journal", () => {
  it("JOURNAL-4 CODE-9 is found by the check of the journal, and its work lands as the engine knows it", async () => {
    await using project = new CodeProject();
    project.git("checkout", "--quiet", "-b", "mine");
    const sql = "UPDATE journal SET body = replace(body, 'baseCommit', 'otherCommit')";
    const program = `new (require("node:sqlite").DatabaseSync)(process.argv[1], { timeout: 5000 }).exec(process.argv[2])`;
    const write = `'${process.execPath}' -e '${program}' '${project.root}/segno.db' "${sql}"`;
    const handle = await run(project, { one: `echo 1 > 1.txt; ${write}` });
    await handle.result();
    expect(project.git("show", "main:1.txt")).toBe("1");
    expect(await project.engine!.verify(handle.id)).toMatchObject({ ok: false });
  });
});

describe("an agent that writes refs of the repository", () => {
  it("CODE-6 cannot make the work of another task vanish by a forged marker", async () => {
    await using project = new CodeProject();
    const before = project.everything();
    const forge = "for t in good bad _workflow; do git update-ref refs/segno/$SEGNO_WORKFLOW_ID/landed/$t HEAD; done";
    const scripts = { bad: `echo bad > bad.txt; ${forge}`, good: "echo good > good.txt; sleep 1" };
    const handle = await run(project, scripts);
    expect(await statuses(handle)).toEqual({ bad: "failed", good: "failed" });
    await expect(handle.result()).rejects.toThrow(/landed\/(?:good|bad)` says that .* has landed/u);
    expect(project.git("show", `task/${handle.id}-good:good.txt`)).toBe("good");
    expect(project.everything()).toEqual(before);
  });
});

describe("the user's checkout", () => {
  it("CODE-11 is dirty and on another branch, and stays as it is bit for bit", async () => {
    await using project = new CodeProject({ "a.txt": "one\n", "b.txt": "one\n" });
    project.git("checkout", "--quiet", "-b", "mine");
    project.write({ "a.txt": "dirty\n", "untracked.txt": "u\n", "b.txt": "staged\n" });
    project.git("add", "b.txt");
    const before = project.everything();
    const handle = await run(project, { one: "echo 1 > 1.txt; echo two > a.txt" });
    expect(await statuses(handle)).toEqual({ one: "succeeded" });
    expect(project.git("show", "main:a.txt")).toBe("two");
    expect(project.everything()).toEqual(before);
  });

  it("CODE-11 is clean and on the base branch, and moves forward with the landing", async () => {
    await using project = new CodeProject();
    const config = readFileSync(join(project.folder, ".git/config"), "utf8");
    await (await run(project, { one: "echo 1 > 1.txt" })).result();
    expect(project.git("status", "--porcelain=v2", "--branch")).toContain("# branch.head main");
    expect(project.git("status", "--porcelain")).toBe("");
    expect(readdirSync(project.folder).toSorted()).toEqual([".git", ".segno", "1.txt", "a.txt"]);
    expect(readFileSync(join(project.folder, ".git/config"), "utf8")).toBe(config);
  });

  it("CODE-11 is dirty and on the base branch, and the landing waits until it is clean", async () => {
    await using project = new CodeProject();
    project.watched.act(() => appendFileSync(join(project.folder, "a.txt"), "mine\n"));
    const before = project.everything();
    const handle = await run(project, { one: "echo changed > a.txt" });
    const landing = async (): Promise<unknown> => {
      const step = (await handle.status()).steps.find(({ name }) => name === "land");
      return step?.detail.kind === "failure" ? step.detail.failure : step?.status;
    };
    const message: unknown = expect.stringMatching(/`a\.txt` has changes that are not committed; commit, stash or/u);
    await expect.poll(landing, { timeout: 60_000 }).toMatchObject({ code: "CHECKOUT_BLOCKED", message });
    expect(project.everything()).toEqual(before);
    expect(project.git("show", "main:a.txt")).toBe("one");
    expect(await readCodeReport(handle)).toMatchObject({ landed: false, landingError: message });
    project.git("checkout", "--quiet", "a.txt");
    await project.finish(handle);
    expect(readFileSync(join(project.folder, "a.txt"), "utf8")).toBe("changed\n");
    expect(project.git("status", "--porcelain")).toBe("");
  });
});
