// Agents that flood the Agent Client Protocol, or write what it does not allow.

import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { AcpAgents } from "../../src/agents/acp-agents.ts";
import type { AgentReport, AgentRunOptions } from "../../src/agents/agent-executor.ts";
import { AgentFolders, isAlive, runSession } from "./agent-session.ts";
import { RawAcpAgent } from "./raw-acp-agent.ts";

const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/x"}}';
const PERMISSION =
  '{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"o","name":"o","kind":"allow_once"}]}}';

async function run(agent: RawAcpAgent, options: Partial<AgentRunOptions> = {}): Promise<AgentReport> {
  using folders = new AgentFolders();
  const executor = new AcpAgents({ agents: { raw: { command: ["unused"] } }, cancelGraceMs: 1 });
  return await runSession(executor, folders, { processes: agent, ...options });
}

const flooding = (line: string): RawAcpAgent => new RawAcpAgent((agent) => agent.flood(line));

describe("an agent of the Agent Client Protocol that floods its output", () => {
  it.each([
    ["text", "not json"],
    ["JSON that is not a message", "{}"],
    ["batches", "[]"],
    ["responses that nobody asked for", '{"jsonrpc":"2.0","id":9,"result":{}}'],
    ["updates that cannot be read", '{"jsonrpc":"2.0","method":"session/update","params":{}}'],
  ])("CODE-12 CODE-10 with %s violates the protocol, and is ended", async (_, line) => {
    const errors = vi.spyOn(console, "error");
    const agent = flooding(line);
    const { outcome } = await run(agent);
    expect(outcome).toMatchObject({
      kind: "failed",
      isLasting: true,
      reason: expect.stringContaining("more than 10000 lines that are not messages") as string,
    });
    expect(agent.isStopped).toBe(true);
    expect(errors).not.toHaveBeenCalled();
  });

  it("CODE-12 CODE-10 with a line without an end violates the protocol, and is ended", async () => {
    const agent = new RawAcpAgent((raw) => raw.write("x".repeat(34_000_000)));
    const { outcome } = await run(agent);
    expect(outcome).toMatchObject({ kind: "failed", isLasting: true });
    expect(agent.isStopped).toBe(true);
  });

  it("CODE-12 with lines that are not messages now and then does its task", async () => {
    const agent = new RawAcpAgent(async (raw, id) => {
      for (let count = 0; count < 1000; count++) await raw.write("a warning of a library");
      await raw.result(id, '{"stopReason":"end_turn"}');
    });
    expect((await run(agent)).outcome).toEqual({ kind: "succeeded" });
  });

  it.each([
    ["requests", REQUEST],
    ["requests for permission", PERMISSION],
  ])("CODE-12 with %s and does not read the answers is not read any further", async (_, line) => {
    const agent = new RawAcpAgent(async (raw) => {
      raw.stdin.pause();
      await raw.flood(line, 20_000);
    });
    const { outcome } = await run(agent, { stallMs: 500 });
    expect(outcome.kind).toBe("stalled");
    expect(agent.linesWritten).toBeLessThan(5000);
  });

  it.each([
    ["requests", REQUEST],
    ["requests for permission", PERMISSION],
    [
      "texts",
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"t\\n"}}}}',
    ],
  ])("CODE-12 CODE-8 with %s is ended when its time is up", async (_, line) => {
    const agent = flooding(line);
    expect((await run(agent, { timeoutMs: 300 })).outcome.kind).toBe("timed-out");
    expect(agent.isStopped).toBe(true);
  });

  it("CODE-10 as a process of its own leaves no process behind", async () => {
    using folders = new AgentFolders();
    const command = [process.execPath, join(import.meta.dirname, "scripted-acp-agent.ts"), "garbage"];
    const executor = new AcpAgents({ agents: { scripted: { command } } });
    const { outcome } = await runSession(executor, folders);
    expect(outcome).toMatchObject({ kind: "failed", isLasting: true });
    expect(isAlive(Number(folders.read("pid")))).toBe(false);
  });
});

describe("the end of a turn", () => {
  it.each(["__proto__", "constructor", "tired"])("CODE-12 for the unknown reason %s is a failure", async (reason) => {
    const agent = new RawAcpAgent((raw, id) => raw.result(id, JSON.stringify({ stopReason: reason })));
    expect((await run(agent)).outcome).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining(JSON.stringify(reason)) as string,
    });
  });

  it("CODE-12 has no tokens and no cost that are not amounts", async () => {
    const agent = new RawAcpAgent(async (raw, id) => {
      for (const amount of ["1e999", "-5", '"1"'])
        await raw.write(
          `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":${amount},"currency":"USD"}}}}`,
        );
      await raw.result(id, '{"stopReason":"end_turn","usage":{"inputTokens":1e999,"outputTokens":-3,"totalTokens":1}}');
    });
    const { outcome, usage } = await run(agent);
    expect({ outcome, usage }).toEqual({ outcome: { kind: "succeeded" }, usage: {} });
  });

  it("CODE-12 DATA-9 with a long error keeps the beginning of the error, without secrets", async () => {
    const message = `${"e".repeat(3995)}hunter22${"e".repeat(5_000_000)}`;
    const agent = new RawAcpAgent((raw, id) =>
      raw.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_603, message } })),
    );
    const { outcome } = await run(agent, { maskText: (text) => text.replaceAll("hunter22", "***") });
    expect(outcome).toMatchObject({ kind: "failed", reason: `${"e".repeat(3995)}***ee…` });
  });
});
