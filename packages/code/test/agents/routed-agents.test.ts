// Agents of several kinds behind one executor.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RoutedAgents } from "../../src/agents/routed-agents.ts";
import { describeAgentExecutor } from "./agent-executor-contract.ts";
import { AgentFolders, runOptions, scripted } from "./agent-session.ts";

const ACP = [process.execPath, join(import.meta.dirname, "scripted-acp-agent.ts")];
const COMMAND = { command: scripted("edit") };

function routedTo(name: "acp" | "command", ...args: readonly string[]): RoutedAgents {
  const agents = { command: { command: scripted(...args) }, acp: { acp: [...ACP, args.join(" ")] } };
  return new RoutedAgents({ agents, default: name });
}

describeAgentExecutor("RoutedAgents to a command", (behaviour) =>
  routedTo("command", ...(behaviour === "secret" ? ["secret", "hunter22"] : behaviour.split(" "))),
);
describeAgentExecutor("RoutedAgents to an agent of the protocol", (behaviour) => routedTo("acp", behaviour));

describe("RoutedAgents", () => {
  it("CODE-12 the name of the agent decides how it is spoken to", async () => {
    using folders = new AgentFolders();
    const agents = new RoutedAgents({ agents: { one: COMMAND, two: { acp: [...ACP, "edit"] } } });
    const ids: string[] = [];
    for (const agent of ["one", "two"]) {
      const { agentId } = await agents.createSession(folders.request({ sessionId: agent, agent }));
      expect((await agents.executeTask(agent, runOptions())).outcome.kind).toBe("succeeded");
      ids.push(agentId);
    }
    expect(ids).toEqual(["command:one", "acp:two"]);
  });

  it("CODE-12 an agent that is not configured is refused before anything is created", () => {
    const agents = { one: COMMAND, two: { acp: [...ACP, "edit"] } };
    expect(() => new RoutedAgents({ agents }).check(["two", "thre"])).toThrow(/not configured/u);
    expect(() => new RoutedAgents({ agents, default: "none" })).toThrow(/not configured/u);
  });

  it("CODE-12 an agent that writes nothing for the time of its configuration is ended", async () => {
    using folders = new AgentFolders();
    const agents = new RoutedAgents({ agents: { one: { command: scripted("hang"), stallMs: 50 } }, default: "one" });
    const { sessionId } = await agents.createSession(folders.request());
    const { outcome } = await agents.executeTask(sessionId, runOptions());
    expect(outcome).toEqual({ kind: "stalled", silentMs: 50 });
  });
});
