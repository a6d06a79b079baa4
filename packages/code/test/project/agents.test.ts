// Outcomes of real agents, through the engine.

import { join } from "node:path";
import type { ExecutionHandle } from "@segno/engine";
import { describe, expect, it, vi } from "vitest";
import { sessionIdOf } from "../../src/model/session-id.ts";
import { codeEvents } from "../../src/events/event-feed.ts";
import { CodeProject } from "./code-project.ts";

/** A project whose user works on another branch, so that a landing moves only a ref. */
function openProject(): CodeProject {
  const project = new CodeProject();
  project.git("checkout", "--quiet", "-b", "mine");
  return project;
}

function template(agents: string, tasks: readonly string[], more = ""): string {
  const list = tasks.map((task) => `  - { instructions: work, ${task} }\n`).join("");
  return `name: sample\npolicies: { step: auto, workflow: auto }\nagent: worker\nagents: { ${agents} }\n${more}tasks:\n${list}`;
}

function worker(file: string): string {
  return `worker: { command: ["${file}"] }`;
}

/** The lines of a shell script that count how often the agent was started. */
function counted(project: CodeProject): string {
  const file = join(project.root, "starts");
  return `echo x >> '${file}'\ncount=$(wc -l < '${file}')`;
}

async function untilSuspended(handle: ExecutionHandle, name: string): Promise<void> {
  const isSuspended = async (): Promise<boolean> =>
    (await handle.status()).steps.some((step) => step.name === name && step.status === "suspended");
  await vi.waitFor(async () => expect(await isSuspended()).toBe(true), 100_000);
}

describe("an agent in a workflow", () => {
  it("CODE-12 that meets a rate limit is started again, as often as it takes: the attempts do not count", async () => {
    await using project = openProject();
    const agent = project.agent(
      "agent.sh",
      `${counted(project)}\nif [ $count -lt 5 ]; then echo '{"status":"rate_limited","retryAfter":0}' > "$SEGNO_RESULT_FILE"; else echo one > one.txt; fi`,
    );
    const handle = await project.start(template(worker(agent), ["id: one"]));
    await project.finish(handle);
    expect(project.git("show", "main:one.txt")).toBe("one");
  });

  it("CODE-12 that needs input asks a person, and another agent goes on with question and answer", async () => {
    await using project = openProject();
    const result = (question: string): string =>
      `echo '{"status":"needs_input","question":"${question}","usage":{"costUsd":1}}' > "$SEGNO_RESULT_FILE"`;
    const agent = project.agent(
      "agent.sh",
      `${counted(project)}\ncase $count in 1) ${result("which colour?")} ;; 2) ${result("really?")} ;; *) cp "$SEGNO_CONTEXT_FILE" seen.txt ;; esac`,
    );
    const handle = await project.start(template(worker(agent), ["id: one"]));
    await untilSuspended(handle, "session-one/question");
    await handle.approve("session-one/question", { by: "ada", comment: "blue" });
    await untilSuspended(handle, "session-one/session/question");
    await handle.approve("session-one/session/question", { by: "ada" });
    await handle.result();
    const seen = project.git("show", "main:seen.txt");
    expect(seen).toContain("An earlier agent asked: which colour?\\nAnswer: blue");
    expect(seen).toContain("An earlier agent asked: really?\\nAnswer: approved, without a comment");
    expect(await handle.output("session-one")).toMatchObject({
      sessionId: sessionIdOf(handle.id, "one", 1, "session-one/session/session"),
      usage: { costUsd: 2 },
    });
    const created: (string | undefined)[] = [];
    for await (const { type, sessionId } of codeEvents(project.engine!, handle.id))
      if (type === "session.created") created.push(sessionId?.slice(handle.id.length));
    expect(created).toEqual(["-one-1", "-one-1-answer1", "-one-1-answer2"]);
  });

  it("CODE-12 that is refused an answer fails its task", async () => {
    await using project = openProject();
    const agent = project.agent("agent.sh", "exit 10");
    const handle = await project.start(template(worker(agent), ["id: one"]));
    await untilSuspended(handle, "session-one/question");
    await handle.reject("session-one/question", { by: "ada", comment: "no" });
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
  });

  it("CODE-12 may speak the Agent Client Protocol, beside others that are commands", async () => {
    await using project = openProject();
    const agent = project.agent("agent.sh", 'echo "$SEGNO_TASK_ID" > two.txt');
    const script = join(import.meta.dirname, "../agents/scripted-acp-agent.ts");
    const agents = `${worker(agent)}, helper: { acp: ["${process.execPath}", "${script}", edit] }`;
    const handle = await project.start(template(agents, ["id: one, title: Hello, agent: helper", "id: two"]));
    await handle.result();
    expect(project.git("show", "main:done.txt")).toBe("Hello");
    expect(project.git("show", "main:two.txt")).toBe("two");
  });
});

describe("the budget of a workflow", () => {
  const SPEND = `echo '{"status":"succeeded","usage":{"costUsd":2}}' > "$SEGNO_RESULT_FILE"; echo x > "$SEGNO_TASK_ID.txt"`;
  const CHAIN = ["id: one", "id: two, dependsOn: [one]", "id: three, dependsOn: [two]"];

  it("CODE-4 is shared by all sessions: the workflow stops with a code, and its landed work stays", async () => {
    await using project = openProject();
    const agent = project.agent("agent.sh", SPEND);
    const handle = await project.start(template(worker(agent), CHAIN, "budgetUsd: 3\n"));
    await expect(handle.result()).rejects.toMatchObject({ failure: { code: "BUDGET_EXCEEDED" } });
    const statuses = (await handle.status()).steps.map(({ name, status }) => `${name} ${status}`);
    expect(statuses.slice(1, 6)).toEqual([
      "session-one succeeded",
      "merge-one succeeded",
      "session-two failed",
      "merge-two skipped",
      "session-three skipped",
    ]);
  });

  it("CODE-4 CODE-10 counts failed attempts, also those before a restart", async () => {
    await using project = openProject();
    const agent = project.agent(
      "agent.sh",
      `${counted(project)}\nif [ $count = 1 ]; then echo '{"status":"failed","usage":{"costUsd":2}}' > "$SEGNO_RESULT_FILE"; exit 1; fi\nif [ $count = 2 ]; then echo '{"status":"needs_input","question":"go on?","usage":{"costUsd":2}}' > "$SEGNO_RESULT_FILE"; exit 0; fi\n${SPEND}`,
    );
    const started = await project.start(template(worker(agent), CHAIN, "budgetUsd: 7\n"));
    await untilSuspended(started, "session-one/question");
    await project.closeEngine();
    const handle = await (await project.openEngine()).get(started.id);
    await handle.approve("session-one/question", { by: "ada" });
    await expect(handle.result()).rejects.toMatchObject({ failure: { code: "BUDGET_EXCEEDED" } });
    const failed = (await handle.status()).steps.filter(({ status }) => status === "failed");
    expect(failed.map(({ name }) => name)).toEqual(["session-two"]);
  });
});
