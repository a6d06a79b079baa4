import { describe, expect, it } from "vitest";
import { CodeProject } from "./code-project.ts";

/** Checks out `main` elsewhere than in the user's folder, so that the landing moves only a ref. */
function onOtherBranch(project: CodeProject): void {
  project.git("checkout", "--quiet", "-b", "mine");
}

function head(agent: string): string {
  return `agent: worker\nagents: { worker: { command: ["${agent}"] } }\n`;
}

describe("a workflow on a real repository", () => {
  it("CODE-3 CODE-6 lands the work of agents on the base branch", async () => {
    await using project = new CodeProject();
    onOtherBranch(project);
    const agent = project.agent("agent.sh", 'echo "$SEGNO_TASK_ID" > "$SEGNO_TASK_ID.txt"');
    const handle = await project.start(
      `name: two\npolicies: { step: auto, workflow: auto }\n${head(agent)}tasks:\n  - { id: one, instructions: first }\n  - { id: two, instructions: second, dependsOn: [one] }\n`,
    );
    await handle.result();
    expect(project.git("ls-tree", "--name-only", "main").split("\n")).toEqual(["a.txt", "one.txt", "two.txt"]);
    expect(project.git("branch", "--list", "task/*")).toBe("");
    expect(project.git("status", "--porcelain")).toBe("");
  });

  it("CODE-3 CODE-9 removes the branch and the workspace of a task without changes", async () => {
    await using project = new CodeProject();
    onOtherBranch(project);
    const agent = project.agent("agent.sh", '[ "$SEGNO_TASK_ID" = none ] || echo 1 > 1.txt');
    const handle = await project.start(
      `name: none\npolicies: { step: auto, workflow: auto }\n${head(agent)}tasks:\n  - { id: none, instructions: i }\n  - { id: one, instructions: i }\n`,
    );
    await handle.result();
    expect(project.git("branch", "--list", "task/*")).toBe("");
    expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  it("CODE-5 CODE-7 repairs a conflict and a failing check by fix tasks, and lands what was tested", async () => {
    await using project = new CodeProject({ "a.txt": "one\n", "check.sh": "! grep -q broken *.txt\n" });
    onOtherBranch(project);
    const agent = project.agent(
      "agent.sh",
      [
        'case "$SEGNO_TASK_KIND-$SEGNO_TASK_ID" in',
        "task-left) echo left > a.txt ;;",
        "task-right) echo right > a.txt; echo broken > b.txt ;;",
        "fix.conflict-*) echo both > a.txt ;;",
        "fix.*) echo repaired > b.txt ;;",
        "esac",
      ].join("\n"),
    );
    const handle = await project.start(
      `name: both\npolicies: { step: checks, workflow: checks, checks: ["sh check.sh test"] }\n${head(agent)}tasks:\n  - { id: left, instructions: l }\n  - { id: right, instructions: r }\n`,
    );
    await handle.result();
    expect(project.git("show", "main:a.txt")).toBe("both");
    expect(project.git("show", "main:b.txt")).toBe("repaired");
    expect((await handle.status()).steps.map(({ name, status }) => `${name} ${status}`)).toMatchInlineSnapshot(`
      [
        "prepare succeeded",
        "session-left succeeded",
        "merge-left succeeded",
        "session-right succeeded",
        "merge-right succeeded",
        "more-tasks succeeded",
        "land succeeded",
        "merge-right/fix-1 succeeded",
        "merge-right/merge-1 succeeded",
        "merge-right/fix-2 succeeded",
        "merge-right/merge-2 succeeded",
        "merge-right/escalation skipped",
        "merge-right/resolved skipped",
        "merge-right/merged succeeded",
      ]
    `);
  });
});

describe("a task on a real repository", () => {
  it("CODE-12 waits when an agent meets a rate limit, and uses up no attempt", async () => {
    await using project = new CodeProject();
    onOtherBranch(project);
    const agent = project.agent(
      "agent.sh",
      [
        `count="${project.root}/count"; echo x >> "$count"`,
        'if [ "$(wc -l < "$count")" -le 4 ]; then echo \'{"status":"rate_limited","retryAfter":0}\' > "$SEGNO_RESULT_FILE"',
        "else echo done > done.txt; fi",
      ].join("\n"),
    );
    const handle = await project.start(
      `name: limit\npolicies: { step: auto, workflow: auto }\n${head(agent)}tasks:\n  - { id: one, instructions: i }\n`,
    );
    await project.finish(handle);
    expect(project.git("show", "main:done.txt")).toBe("done");
    const session = (await handle.status()).steps.find(({ name }) => name === "session-one");
    expect(session?.attempts).toBe(1);
  });

  it("BEYOND-5 warns of a conflict between tasks before the merge meets it", async () => {
    await using project = new CodeProject();
    onOtherBranch(project);
    const agent = project.agent(
      "agent.sh",
      'case "$SEGNO_TASK_KIND" in task) echo "$SEGNO_TASK_ID" > a.txt ;; *) echo both > a.txt ;; esac',
    );
    const handle = await project.start(
      `name: probe\npolicies: { step: manual, workflow: auto }\n${head(agent)}tasks:\n  - { id: left, instructions: l }\n  - { id: right, instructions: r }\n`,
    );
    const waiting = async (): Promise<number> =>
      (await handle.status()).steps.filter(({ status }) => status === "suspended").length;
    await expect.poll(waiting, { timeout: 60_000 }).toBe(2);
    const lines: string[] = [];
    for await (const { text } of project.engine!.logs(handle.id)) lines.push(text);
    expect(lines.join("\n")).toMatch(/conflicts with that of `(?:left|right)`.*a\.txt/u);
  });
});
