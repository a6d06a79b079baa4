// Commands that keep to the contract, and commands that do not.

import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { AgentOutcome } from "../../src/agents/agent-outcome.ts";
import { CommandAgents } from "../../src/agents/command-agents.ts";
import { AgentFolders, commandAgents, isAlive, runOptions, runSession, scripted } from "./agent-session.ts";

async function outcomeOf(...args: readonly string[]): Promise<AgentOutcome> {
  using folders = new AgentFolders();
  return (await runSession(commandAgents(args), folders)).outcome;
}

function contractVariables({ workspace, folder }: AgentFolders): Readonly<Record<string, string>> {
  return {
    SEGNO_PROTOCOL: "1",
    SEGNO_WORKFLOW_ID: "w1",
    SEGNO_TASK_ID: "t1",
    SEGNO_TASK_ATTEMPT: "1",
    SEGNO_TASK_KIND: "task",
    SEGNO_SESSION_ID: "s1",
    SEGNO_WORKSPACE: workspace,
    SEGNO_BRANCH: "task/w1-t1",
    SEGNO_BASE_COMMIT: "0".repeat(40),
    SEGNO_CONTEXT_FILE: join(folder, "context.json"),
    SEGNO_RESULT_FILE: join(folder, "result.json"),
    CI: "1",
    NO_COLOR: "1",
    TERM: "dumb",
    GIT_TERMINAL_PROMPT: "0",
    GIT_EDITOR: "true",
  };
}

describe("the contract of a command", () => {
  it("CODE-12 the prompt is on standard input, which then ends", async () => {
    using folders = new AgentFolders();
    const executor = commandAgents(["echo"]);
    await runSession(executor, folders);
    const { text } = await executor.getSessionOutput("s1");
    expect(text).toBe(readFileSync(join(folders.folder, "prompt.md"), "utf8"));
    expect(text).toContain("# Write a file");
  });

  it("CODE-12 a command with {prompt} gets the prompt as a file", async () => {
    using folders = new AgentFolders();
    const executor = new CommandAgents({ agents: { cat: { command: ["cat", "{prompt}", "-"] } } });
    await runSession(executor, folders);
    expect((await executor.getSessionOutput("s1")).text).toBe(readFileSync(join(folders.folder, "prompt.md"), "utf8"));
  });

  it("CODE-12 the variables of the contract are set, and others only if they are named", async () => {
    using folders = new AgentFolders();
    vi.stubEnv("SAMPLE_KEY", "key");
    vi.stubEnv("SAMPLE_SECRET", "no");
    vi.stubEnv("GIT_DIR", "elsewhere");
    const agent = { command: scripted("env"), env: { MODE: "fast" }, inherits: ["SAMPLE_K*"] };
    const executor = new CommandAgents({ agents: { agent } });
    const startedAt = Date.now();
    await runSession(executor, folders, { timeoutMs: 100_000 });
    const { text } = JSON.parse((await executor.getSessionOutput("s1")).text) as { readonly text: string };
    const variables = JSON.parse(text) as Readonly<Record<string, string>>;
    expect(variables).toMatchObject({ ...contractVariables(folders), MODE: "fast", SAMPLE_KEY: "key" });
    expect(Date.parse(variables["SEGNO_DEADLINE"]!)).toBeGreaterThanOrEqual(startedAt + 100_000);
    expect(Object.keys(variables)).not.toContain("SAMPLE_SECRET");
    expect(Object.keys(variables)).not.toContain("GIT_DIR");
    vi.unstubAllEnvs();
  });

  it("CODE-12 standard error is part of the transcript, and not read as events", async () => {
    using folders = new AgentFolders();
    const { transcript } = await runSession(commandAgents(["stderr"]), folders);
    expect(readFileSync(transcript!, "utf8")).toBe("a warning\n");
  });
});

describe("the outcome of a command", () => {
  it("CODE-12 a failure is explained by the last lines of standard error", async () => {
    expect(await outcomeOf("stderr", "no such model")).toMatchObject({
      kind: "failed",
      reason: "the agent ended with exit code 1: no such model",
    });
  });

  it("DATA-9 the lines that explain a failure are masked before they are cut", async () => {
    using folders = new AgentFolders();
    const secret = "s".repeat(100);
    const executor = commandAgents(["stderr", `${"x".repeat(1950)}${secret}`]);
    const { outcome } = await runSession(executor, folders, { maskText: (text) => text.replaceAll(secret, "***") });
    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringMatching(/x\*\*\*$/u) as string });
  });

  it.each([
    [0, { kind: "succeeded" }],
    [1, { kind: "failed", isLasting: false }],
    [10, { kind: "needs-input" }],
    [20, { kind: "no-changes" }],
    [75, { kind: "failed", isLasting: false }],
    [77, { kind: "failed", isLasting: true }],
    [78, { kind: "failed", isLasting: true }],
  ])("CODE-12 a command that ends with %d has its outcome", async (code, outcome) => {
    expect(await outcomeOf("exit", String(code))).toMatchObject(outcome);
  });

  it.each([
    ['{"status":"succeeded","summary":"s"}', { kind: "succeeded", result: { summary: "s" } }],
    ['{"status":"needs_input","question":"which?"}', { kind: "needs-input", question: "which?" }],
    ['{"status":"rate_limited","retryAfter":3}', { kind: "rate-limited", retryAfterMs: 3000 }],
    ['{"status":"no_changes"}', { kind: "no-changes" }],
    ['{"status":"merged"}', { kind: "failed", reason: "the agent ended with exit code 1" }],
    ["not json", { kind: "failed", reason: "the agent ended with exit code 1" }],
  ])("CODE-12 the result file %s counts more than the exit code, if it is valid", async (text, outcome) => {
    expect(await outcomeOf("file", text)).toMatchObject(outcome);
  });

  it("CODE-12 a result file that is a pipe is not read", async () => {
    expect(await outcomeOf("pipe")).toEqual({ kind: "succeeded" });
  });

  it("CODE-12 a program that does not exist is an outcome of its own", async () => {
    using folders = new AgentFolders();
    const executor = new CommandAgents({ agents: { missing: { command: ["segno-no-such-program"] } } });
    const { outcome } = await runSession(executor, folders);
    expect(outcome).toEqual({ kind: "spawn-error", reason: "there is no program `segno-no-such-program`" });
  });

  it("CODE-12 a workspace that does not exist is not confused with a missing program", async () => {
    using folders = new AgentFolders();
    const executor = commandAgents(["edit"]);
    await executor.createSession(folders.request({ workspacePath: join(folders.root, "gone") }));
    const { outcome } = await executor.executeTask("s1", runOptions());
    expect(outcome).toMatchObject({ kind: "spawn-error", reason: expect.stringContaining("not a folder") as string });
  });
});

describe("a command that misbehaves", () => {
  it("CODE-12 an agent that hangs after its result is ended, and its result counts", async () => {
    using folders = new AgentFolders();
    const report = await runSession(commandAgents(["result"], { resultGraceMs: 1 }), folders);
    expect(report.outcome).toEqual({ kind: "succeeded", result: { status: "succeeded", summary: "all done" } });
  });

  it("CANCEL-2 an agent that ignores SIGTERM is killed", async () => {
    using folders = new AgentFolders();
    expect((await runSession(commandAgents(["deaf"]), folders, { timeoutMs: 500 })).outcome).toEqual({
      kind: "timed-out",
    });
  });

  it.each([
    ["fork", ""],
    ["setsid", ""],
    ["fork", "exit"],
    ["setsid", "exit"],
  ])("CANCEL-2 nothing of an agent is left (%s %s)", async (...args) => {
    using folders = new AgentFolders();
    const executor = commandAgents(args);
    await executor.createSession(folders.request());
    const report = executor.executeTask("s1", runOptions());
    await vi.waitFor(() => expect(folders.childPid).toBeGreaterThan(0), 100_000);
    if (args[1] === "") await executor.terminateSession("s1");
    expect((await report).outcome.kind).toBe(args[1] === "" ? "cancelled" : "succeeded");
    expect(isAlive(folders.childPid!)).toBe(false);
  });

  it("CODE-4 a line of 50 MB goes to the disk, and the line after it is read", async () => {
    using folders = new AgentFolders();
    const { outcome, transcript } = await runSession(commandAgents(["flood", "50"]), folders);
    expect(outcome).toMatchObject({ kind: "succeeded", result: { summary: "flooded" } });
    expect(statSync(transcript!).size).toBeGreaterThan(50 * 1024 * 1024);
  });

  it("CODE-4 bytes that are not UTF-8 are text", async () => {
    using folders = new AgentFolders();
    const executor = commandAgents(["garbage"]);
    expect((await runSession(executor, folders)).outcome.kind).toBe("succeeded");
    expect((await executor.getSessionOutput("s1")).text).toBe("\uFFFD\uFFFD\n\uFFFD\n");
  });

  it("CODE-12 an agent that does not read its prompt succeeds", async () => {
    using folders = new AgentFolders();
    const executor = new CommandAgents({ agents: { true: { command: ["true"] } } });
    const instructions = "x".repeat(1024 * 1024);
    const { context } = folders.request();
    await executor.createSession(folders.request({ context: { ...context, instructions } }));
    expect((await executor.executeTask("s1", runOptions())).outcome.kind).toBe("succeeded");
  });

  it("CODE-4 a transcript that cannot be written stops the agent and is an error", async () => {
    using folders = new AgentFolders();
    const executor = commandAgents(["fork"]);
    await executor.createSession(folders.request());
    const maskText = (): string => {
      throw new Error("no space");
    };
    await expect(executor.executeTask("s1", runOptions({ maskText }))).rejects.toThrow("no space");
    expect(isAlive(folders.childPid!)).toBe(false);
  });
});

describe("the agents of a configuration", () => {
  const two = { agents: { claude: { preset: "claude" }, sh: { command: ["sh"] } } } as const;

  it("CODE-12 an unknown agent is refused before anything starts, with the name that was probably meant", () => {
    const executor = new CommandAgents(two);
    expect(() => executor.check(["claude", "sh"])).not.toThrow();
    expect(() => executor.check(["sh", "clade"])).toThrow("did you mean `claude`?");
    expect(() => executor.check([undefined])).toThrow(expect.objectContaining({ code: "AGENT_UNKNOWN" }));
  });

  it("CODE-12 the default agent is the one that is named, or the only one", () => {
    expect(() => new CommandAgents({ ...two, default: "sh" }).check([undefined])).not.toThrow();
    expect(() => new CommandAgents({ agents: { sh: two.agents.sh } }).check([undefined])).not.toThrow();
    expect(() => new CommandAgents({ ...two, default: "bash" })).toThrow("the agent `bash` is not configured");
  });

  it.each([
    [{}, "no agent is configured"],
    [{ a: { command: [] } }, "has no program"],
    [{ a: { command: ["a\0"] } }, "NUL"],
    [{ a: { preset: "claud" as "claude" } }, "did you mean `claude`?"],
    [{ a: { command: ["sh"], env: { SEGNO_TASK_ID: "x" } } }, "sets SEGNO_TASK_ID"],
  ])("CODE-12 a configuration that cannot work is refused (%j)", (agents, message) => {
    expect(() => new CommandAgents({ agents })).toThrow(message);
  });

  it("CODE-11 a program with a slash is never one of the workspace", async () => {
    using folders = new AgentFolders();
    execFileSync("cp", ["/bin/true", join(folders.workspace, "agent")]);
    const executor = new CommandAgents({ agents: { agent: { command: ["./agent"] } } });
    expect((await runSession(executor, folders)).outcome.kind).toBe("spawn-error");
  });
});
