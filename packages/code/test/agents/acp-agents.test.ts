// The Agent Client Protocol, with an agent of the official SDK as the peer: in this process, and as a command.

import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { AcpAgents, type AcpAgentsOptions } from "../../src/agents/acp-agents.ts";
import type { AgentOutcome } from "../../src/agents/agent-outcome.ts";
import { chooseOption, type PermissionOptionType } from "../../src/agents/permission-policy.ts";
import type { ProcessStarter } from "../../src/agents/process-starter.ts";
import { describeAgentExecutor } from "./agent-executor-contract.ts";
import { AgentFolders, runSession, startSession } from "./agent-session.ts";
import { serveAcpAgent } from "./scripted-acp-agent.ts";

const SCRIPT = join(import.meta.dirname, "scripted-acp-agent.ts");

function acpAgents(behaviour: string, options: Partial<AcpAgentsOptions> = {}): AcpAgents {
  const command = [process.execPath, SCRIPT, behaviour];
  return new AcpAgents({ agents: { scripted: { command } }, ...options });
}

/** An agent in this process behind the streams of a process. */
function inProcess(behaviour: string): ProcessStarter {
  return {
    start: ({ env }) => {
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
      const input = Readable.toWeb(stdin) as ReadableStream<Uint8Array>;
      serveAcpAgent({ behaviour, env }, acp.ndJsonStream(Writable.toWeb(stdout), input));
      const exit = Promise.withResolvers<{ code: number | null; signal: string | null }>();
      const stop = (): void => {
        for (const stream of [stdout, stderr]) stream.end();
        exit.resolve({ code: null, signal: "SIGTERM" });
      };
      return {
        pid: undefined,
        stdin,
        stdout,
        stderr,
        mainExit: exit.promise,
        treeExited: exit.promise.then(() => {}),
        stop,
      };
    },
  };
}

async function run(
  behaviour: string,
  options: Partial<AcpAgentsOptions> = {},
): Promise<{ readonly outcome: AgentOutcome; readonly text: string }> {
  using folders = new AgentFolders();
  const executor = acpAgents("unused", options);
  const { outcome } = await runSession(executor, folders, { processes: inProcess(behaviour) });
  return { outcome, text: (await executor.getSessionOutput("s1")).text };
}

describeAgentExecutor("AcpAgents", (behaviour) => acpAgents(behaviour));

describe("an agent of the Agent Client Protocol", () => {
  it("CODE-12 its texts and the titles of its tool calls are its output", async () => {
    expect((await run("edit")).text).toBe("[tool] Write done.txt\nworking\n");
  });

  it.each([
    ["stop end_turn", { kind: "succeeded" }],
    ["stop max_tokens", { kind: "failed", isLasting: false }],
    ["stop max_turn_requests", { kind: "failed", isLasting: false }],
    ["stop refusal", { kind: "failed", isLasting: true }],
    ["stop cancelled", { kind: "failed", isLasting: false }],
    ["error", { kind: "failed", isLasting: false, reason: expect.stringContaining("the model is on fire") as string }],
    ["login", { kind: "failed", isLasting: true }],
    ["version 2", { kind: "failed", isLasting: true, reason: expect.stringContaining("version 2") as string }],
    ["result file", { kind: "no-changes" }],
  ])("CODE-12 %s has its outcome", async (behaviour, outcome) => {
    expect((await run(behaviour)).outcome).toMatchObject(outcome);
  });

  it("CODE-12 an agent that exits before its turn ends has failed, also with the exit code 0", async () => {
    using folders = new AgentFolders();
    expect((await runSession(acpAgents("exit"), folders)).outcome).toMatchObject({ kind: "failed", isLasting: false });
    using others = new AgentFolders();
    expect((await runSession(acpAgents("exit 78"), others)).outcome).toMatchObject({ kind: "failed", isLasting: true });
  });

  it("CODE-12 a program that does not exist is an outcome of its own", async () => {
    using folders = new AgentFolders();
    const executor = new AcpAgents({ agents: { missing: { command: ["segno-no-such-program"] } } });
    expect((await runSession(executor, folders)).outcome.kind).toBe("spawn-error");
  });

  it("CANCEL-2 an agent that does not cancel its turn is stopped after the grace period", async () => {
    using folders = new AgentFolders();
    const executor = acpAgents("unused", { cancelGraceMs: 1 });
    const session = await startSession(executor, folders, { processes: inProcess("deaf") });
    await executor.terminateSession("s1");
    expect((await session.end).outcome.kind).toBe("cancelled");
  });

  it("CANCEL-2 a request for permission after the cancellation is answered as cancelled", async () => {
    using folders = new AgentFolders();
    const executor = acpAgents("unused", { cancelGraceMs: 100_000 });
    await startSession(executor, folders, { processes: inProcess("late") });
    await executor.terminateSession("s1");
    expect((await executor.getSessionOutput("s1")).text).toBe("started\nasked: undefined\n");
  });
});

describe("a permission", () => {
  it("CODE-12 is granted once by default, and refused if the policy says so", async () => {
    expect((await run("ask")).text).toBe("allow_once\n");
    const requests: unknown[] = [];
    const { text } = await run("ask", { permissions: (request) => (requests.push(request), "deny") });
    expect(text).toBe("reject_once\n");
    expect(requests).toEqual([{ title: "Write a file", toolKind: "edit" }]);
  });

  it("CODE-12 that is refused is cancelled if the agent offers no refusal", async () => {
    expect((await run("ask badly", { permissions: () => "deny" })).text).toBe("undefined\n");
  });

  it.each([
    ["allow", ["allow_always", "allow_once"], "allow_once"],
    ["allow", ["reject_once", "allow_always"], "allow_always"],
    ["allow", ["reject_once"], undefined],
    ["deny", ["allow_once", "reject_always", "reject_once"], "reject_once"],
    ["deny", ["allow_once", "reject_always"], "reject_always"],
    ["deny", ["allow_once", "allow_always"], undefined],
    ["deny", [], undefined],
  ] as const)("CODE-12 %s of %j chooses %s", (decision, kinds, chosen) => {
    const offered = (kinds as readonly PermissionOptionType[]).map((kind) => ({ optionId: kind, kind }));
    expect(chooseOption(decision, offered)).toBe(chosen);
  });
});
