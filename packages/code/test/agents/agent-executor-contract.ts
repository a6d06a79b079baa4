// The contract of all executors of agents.

import { describe, expect, it } from "vitest";
import type { AgentExecutor } from "../../src/agents/agent-executor.ts";
import { AgentFolders, runOptions, runSession, startSession, taskContext } from "./agent-session.ts";

/**
 * - `edit` writes the title of its task to `done.txt`, prints a line with "working", and succeeds.
 * - `hang` prints a line with "started" and does not end.
 * - `spend` reports 10 input tokens, 5 output tokens and 3.5 USD.
 * - `spend hang` does so and does not end.
 * - `secret` prints "the key is hunter22".
 */
export type AgentBehaviour = "edit" | "hang" | "spend" | "spend hang" | "secret";

/** Opens an executor whose only agent behaves like that. */
export type OpenAgents = (behaviour: AgentBehaviour) => AgentExecutor;

export function describeAgentExecutor(name: string, open: OpenAgents): void {
  describe(`${name} as an executor of agents`, () => {
    describeSessions(open);
    describeOutput(open);
    describeEnds(open);
  });
}

function describeSessions(open: OpenAgents): void {
  it("CODE-4 an agent works on its task in its workspace", async () => {
    using folders = new AgentFolders();
    const report = await runSession(open("edit"), folders);
    expect(report.outcome.kind).toBe("succeeded");
    expect(folders.read("done.txt")).toBe("Write a file\n");
  });

  it("CODE-4 each session has a new agent with the context of its own task", async () => {
    const executor = open("edit");
    for (const title of ["One", "Two"]) {
      using folders = new AgentFolders();
      await executor.createSession(folders.request({ sessionId: title, context: taskContext({ title }) }));
      await executor.executeTask(title, runOptions());
      expect(folders.read("done.txt")).toBe(`${title}\n`);
    }
  });

  it("CODE-4 a session is created once and executed once", async () => {
    using folders = new AgentFolders();
    const executor = open("edit");
    await runSession(executor, folders);
    await expect(executor.executeTask("s1", runOptions())).rejects.toMatchObject({ code: "AGENT_SESSION_USED" });
    const request = folders.request({ sessionId: "s2" });
    await executor.createSession(request);
    await expect(executor.createSession(request)).rejects.toMatchObject({ code: "AGENT_SESSION_USED" });
  });

  it("CODE-4 the id of a session that has ended may be used for a new one", async () => {
    using folders = new AgentFolders();
    const executor = open("edit");
    await runSession(executor, folders);
    expect((await runSession(executor, folders)).outcome.kind).toBe("succeeded");
  });

  it("CODE-12 a session that does not exist is refused, except for terminating it", async () => {
    const executor = open("edit");
    const unknown = { code: "AGENT_SESSION_UNKNOWN" };
    await expect(executor.executeTask("nope", runOptions())).rejects.toMatchObject(unknown);
    await expect(executor.getSessionOutput("nope")).rejects.toMatchObject(unknown);
    await executor.terminateSession("nope");
  });

  it("CODE-12 usage is summed", async () => {
    using folders = new AgentFolders();
    const { usage } = await runSession(open("spend"), folders);
    expect(usage).toEqual({ inputTokens: 10, outputTokens: 5, costUsd: 3.5 });
  });
}

function describeOutput(open: OpenAgents): void {
  it("CODE-4 output is read from any byte on", async () => {
    using folders = new AgentFolders();
    const executor = open("edit");
    await runSession(executor, folders);
    const { text, nextByte, isEnded } = await executor.getSessionOutput("s1");
    expect(text).toContain("working");
    expect(isEnded).toBe(true);
    expect(await executor.getSessionOutput("s1", nextByte)).toEqual({ text: "", nextByte, isEnded: true });
    expect((await executor.getSessionOutput("s1", 3)).text).toBe(text.slice(3));
  });

  it("CODE-4 output is read while the agent works", async () => {
    using folders = new AgentFolders();
    const executor = open("hang");
    const session = await startSession(executor, folders);
    expect(await executor.getSessionOutput("s1")).toMatchObject({ isEnded: false });
    await executor.terminateSession("s1");
    await session.end;
    expect(await executor.getSessionOutput("s1")).toMatchObject({ isEnded: true });
  });

  it("CODE-4 a session that has not begun has no output", async () => {
    using folders = new AgentFolders();
    const executor = open("edit");
    await executor.createSession(folders.request());
    expect(await executor.getSessionOutput("s1")).toEqual({ text: "", nextByte: 0, isEnded: false });
  });

  it("CODE-4 lines of the output are given to a listener", async () => {
    using folders = new AgentFolders();
    const lines: string[] = [];
    await runSession(open("edit"), folders, { onLine: (line) => lines.push(line) });
    expect(lines).toContainEqual(expect.stringContaining("working"));
  });

  it("DATA-9 secrets are masked in the output", async () => {
    using folders = new AgentFolders();
    const executor = open("secret");
    await runSession(executor, folders, { maskText: (text) => text.replaceAll("hunter22", "***") });
    expect((await executor.getSessionOutput("s1")).text).toContain("the key is ***");
  });
}

function describeEnds(open: OpenAgents): void {
  it("CODE-12 a terminated session is cancelled, and terminating it again changes nothing", async () => {
    using folders = new AgentFolders();
    const executor = open("hang");
    const session = await startSession(executor, folders);
    await Promise.all([executor.terminateSession("s1"), executor.terminateSession("s1")]);
    expect((await session.end).outcome).toEqual({ kind: "cancelled" });
    await executor.terminateSession("s1");
  });

  it("CODE-12 a session that is terminated before it is executed does no work", async () => {
    using folders = new AgentFolders();
    const executor = open("edit");
    await executor.createSession(folders.request());
    await executor.terminateSession("s1");
    expect((await executor.executeTask("s1", runOptions())).outcome).toEqual({ kind: "cancelled" });
    expect(folders.read("done.txt")).toBeUndefined();
  });

  it("CANCEL-2 a signal that aborts cancels the agent", async () => {
    using folders = new AgentFolders();
    const controller = new AbortController();
    const session = await startSession(open("hang"), folders, { signal: controller.signal });
    controller.abort();
    expect((await session.end).outcome).toEqual({ kind: "cancelled" });
  });

  it("CANCEL-2 a signal that has aborted starts nothing", async () => {
    using folders = new AgentFolders();
    const report = await runSession(open("edit"), folders, { signal: AbortSignal.abort() });
    expect(report.outcome).toEqual({ kind: "cancelled" });
    expect(folders.read("done.txt")).toBeUndefined();
  });

  it("CODE-12 an agent that takes too long is timed out, one that is silent is stalled", async () => {
    for (const [options, outcome] of [
      [{ timeoutMs: 1 }, { kind: "timed-out" }],
      [{ stallMs: 1 }, { kind: "stalled", silentMs: 1 }],
    ] as const) {
      using folders = new AgentFolders();
      expect((await runSession(open("hang"), folders, options)).outcome).toEqual(outcome);
    }
  });

  it("CODE-12 an agent that exceeds its budget is ended, and another attempt cannot succeed", async () => {
    using folders = new AgentFolders();
    const { outcome } = await runSession(open("spend hang"), folders, { budgetUsd: 3 });
    expect(outcome).toMatchObject({ kind: "failed", isLasting: true });
  });

  it("CODE-12 an agent that keeps to its budget succeeds", async () => {
    using folders = new AgentFolders();
    expect((await runSession(open("spend"), folders, { budgetUsd: 3.5 })).outcome.kind).toBe("succeeded");
  });
}
