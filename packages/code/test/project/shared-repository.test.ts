// Several engines, and many tasks, on one repository.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXECUTOR_DEFAULTS } from "../../src/config/executor-config.ts";
import { quick } from "../executor/memory-executor.ts";
import { CodeProject } from "./code-project.ts";

describe("two engines with journals of their own", () => {
  it("CODE-5 CODE-6 land on the same base, and the loser of a landing merges and checks again", async () => {
    await using project = new CodeProject();
    project.git("checkout", "--quiet", "-b", "mine");
    const { root } = project;
    // The check of each landing waits until both engines are in it, so that one of them has to lose.
    const check = `ls *.txt | tr "\\\\n" " " >> ${root}/checks; echo >> ${root}/checks; echo x >> ${root}/in-check; while [ $(wc -l < ${root}/in-check) -lt 2 ]; do sleep 0.02; done`;
    const agent = project.agent("agent.sh", 'echo 1 > "$SEGNO_TASK_ID.txt"');
    const template = (task: string): string =>
      `name: shared\npolicies: { step: auto, workflow: checks, checks: ['${check}'] }\nagent: worker\nagents: { worker: { command: ["${agent}"] } }\ntasks: [{ id: ${task}, instructions: i, checks: [] }]\n`;
    await using other = new CodeProject();
    const handles = [
      await project.start(template("left")),
      await other.start(template("right"), quick(EXECUTOR_DEFAULTS), project.folder),
    ];
    await Promise.all(handles.map((handle) => handle.result()));
    expect(project.git("ls-tree", "--name-only", "main").split("\n")).toEqual(["a.txt", "left.txt", "right.txt"]);
    expect(project.lines("checks")).toBe(3);
    expect(project.git("rev-list", "--count", "--first-parent", "main")).toBe("3");
  });
});

describe("24 tasks on a repository with a remote", () => {
  it("CODE-3 CODE-10 start at the same time, and all of them land", async () => {
    await using project = new CodeProject();
    project.git("checkout", "--quiet", "-b", "mine");
    project.git("remote", "add", "origin", project.folder);
    project.git("fetch", "--quiet", "origin");
    project.git("branch", "--quiet", "--set-upstream-to=origin/main", "main");
    const config = quick(EXECUTOR_DEFAULTS);
    const ids = Array.from({ length: 24 }, (_, index) => `t${index}`);
    const agent = project.agent("agent.sh", 'echo 1 > "$SEGNO_TASK_ID.txt"');
    const handle = await project.start(
      [
        "name: many\npolicies: { step: auto, workflow: auto }",
        `agent: worker\nagents: { worker: { command: ["${agent}"] } }\ntasks:`,
        ...ids.map((id) => `  - { id: ${id}, instructions: i }`),
      ].join("\n"),
      {
        ...config,
        retry: { ...config.retry, maxAttempts: 1 },
        scheduling: { ...config.scheduling, maxParallelTasks: 24 },
        session: { ...config.session, maxConcurrentSessions: 24 },
      },
    );
    await handle.result();
    const files = ids.map((id) => `${id}.txt`);
    expect(project.git("ls-tree", "--name-only", "main").split("\n")).toEqual(["a.txt", ...files].toSorted());
    const { steps } = await handle.status();
    expect(steps.filter(({ attempts }) => attempts > 1)).toEqual([]);
    expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
  });
});

describe("more agents than the default allows", () => {
  it("CODE-13 work at the same time if `max_concurrent_sessions` allows it", async () => {
    await using project = new CodeProject();
    project.git("checkout", "--quiet", "-b", "mine");
    const config = quick(EXECUTOR_DEFAULTS);
    const count = join(project.root, "count");
    const wait = `echo x >> ${count}; while [ "$(wc -l < ${count})" -lt 11 ]; do sleep 0.05; done`;
    const agent = project.agent("agent.sh", `${wait}; echo 1 > "$SEGNO_TASK_ID.txt"`);
    await project.openEngine({}, 12);
    const handle = await project.start(
      [
        "name: eleven\npolicies: { step: auto, workflow: auto }",
        `agent: worker\nagents: { worker: { command: ["${agent}"] } }\ntasks:`,
        ...Array.from({ length: 11 }, (_, index) => `  - { id: t${index}, instructions: i }`),
      ].join("\n"),
      {
        ...config,
        scheduling: { ...config.scheduling, maxParallelTasks: 11 },
        session: { ...config.session, maxConcurrentSessions: 11 },
      },
    );
    await handle.result();
    expect(project.lines("count")).toBe(11);
  });
});
