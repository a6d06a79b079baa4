import type { AgentOutcome } from "../../src/agents/agent-outcome.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MemoryAgents, type AgentScript } from "../../src/agents/memory-agents.ts";
import { describeAgentExecutor, type AgentBehaviour } from "./agent-executor-contract.ts";
import { AgentFolders, commandAgents, runOptions, runSession } from "./agent-session.ts";

const never = (): Promise<undefined> => new Promise(() => {});

const SCRIPTS: Readonly<Record<AgentBehaviour, AgentScript>> = {
  edit: ({ request, print }) => {
    writeFileSync(join(request.workspacePath, "done.txt"), `${request.context.title}\n`);
    print("working");
    return undefined;
  },
  hang: ({ print }) => {
    print("started");
    return never();
  },
  spend: ({ spend }) => {
    spend({ costUsd: 2, inputTokens: 10 });
    spend({ costUsd: 1.5, outputTokens: 5 });
    return undefined;
  },
  "spend hang": ({ spend }) => {
    spend({ costUsd: 3.5 });
    return never();
  },
  secret: ({ print }) => {
    print("the key is hunter22");
    return undefined;
  },
};

describeAgentExecutor("MemoryAgents", (behaviour) => new MemoryAgents({ otherwise: SCRIPTS[behaviour] }));
describeAgentExecutor("CommandAgents", (behaviour) =>
  commandAgents(behaviour === "secret" ? ["secret", "hunter22"] : behaviour.split(" ")),
);

describe("MemoryAgents", () => {
  const limited: AgentOutcome = { kind: "rate-limited", retryAfterMs: 5 };

  it("CODE-12 a list of scripts has one for each attempt, and the last for all others", async () => {
    using folders = new AgentFolders();
    const agents = new MemoryAgents({ tasks: { t1: [() => limited, () => undefined] } });
    const kinds: string[] = [];
    for (const sessionId of ["s1", "s2", "s3"]) {
      await agents.createSession(folders.request({ sessionId }));
      kinds.push((await agents.executeTask(sessionId, runOptions())).outcome.kind);
    }
    expect(kinds).toEqual(["rate-limited", "succeeded", "succeeded"]);
    expect(agents.requests.map(({ sessionId }) => sessionId)).toEqual(["s1", "s2", "s3"]);
  });

  it("CODE-12 a script learns that its agent has to end", async () => {
    using folders = new AgentFolders();
    let isAborted = false;
    const script: AgentScript = ({ signal }) => {
      signal.addEventListener("abort", () => (isAborted = true));
      return never();
    };
    await runSession(new MemoryAgents({ otherwise: script }), folders, { timeoutMs: 1 });
    expect(isAborted).toBe(true);
  });
});
