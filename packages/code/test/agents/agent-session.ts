// A session of an agent in temporary folders.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalProcesses } from "@segno/engine";
import { expect, vi } from "vitest";
import type {
  AgentExecutor,
  AgentReport,
  AgentRunOptions,
  AgentSessionRequest,
} from "../../src/agents/agent-executor.ts";
import { CommandAgents, type CommandAgentsOptions } from "../../src/agents/command-agents.ts";
import type { CodeTaskContext } from "../../src/model/execution-session.ts";

/** The command of an agent with this behaviour. */
export function scripted(...args: readonly string[]): readonly string[] {
  return [process.execPath, fileURLToPath(new URL("scripted-agent.ts", import.meta.url)), ...args];
}

export function commandAgents(args: readonly string[], options: Partial<CommandAgentsOptions> = {}): CommandAgents {
  return new CommandAgents({ agents: { scripted: { command: scripted(...args) } }, ...options });
}

export class AgentFolders implements Disposable {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "segno-agent-")));
  readonly workspace: string = join(this.root, "workspace");
  readonly folder: string = join(this.root, "session");

  constructor() {
    mkdirSync(this.workspace);
  }

  /** The text of a file in the workspace; undefined if it does not exist. */
  read(name: string): string | undefined {
    const path = join(this.workspace, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  request(changes: Partial<AgentSessionRequest> = {}): AgentSessionRequest {
    return {
      sessionId: "s1",
      agent: undefined,
      workflowId: "w1",
      taskId: "t1",
      attempt: 1,
      workspacePath: this.workspace,
      taskBranch: "task/w1-t1",
      baseCommit: "0".repeat(40),
      context: taskContext(),
      folder: this.folder,
      ...changes,
    };
  }

  /** The pid that the agent has left in the folder of its session. */
  get childPid(): number | undefined {
    const file = join(this.folder, "child.pid");
    return existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined;
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function taskContext(changes: Partial<CodeTaskContext> = {}): CodeTaskContext {
  return {
    taskId: "t1",
    title: "Write a file",
    instructions: "Write done.txt.",
    acceptanceCriteria: [],
    data: {},
    workflow: {
      workflowId: "w1",
      template: "sample",
      workflowBranch: "workflow/w1",
      baseBranch: "main",
      baseCommit: "0".repeat(40),
      parameters: {},
    },
    artefacts: {},
    ...changes,
  };
}

export function runOptions(options: Partial<AgentRunOptions> = {}): AgentRunOptions {
  return { signal: new AbortController().signal, processes: new LocalProcesses({ graceMs: 50 }), ...options };
}

/** Creates a session and executes it. */
export async function runSession(
  executor: AgentExecutor,
  folders: AgentFolders,
  options: Partial<AgentRunOptions> = {},
): Promise<AgentReport> {
  const { sessionId } = await executor.createSession(folders.request());
  return await executor.executeTask(sessionId, runOptions(options));
}

/** Creates a session, and executes it until its agent has printed "started". */
export async function startSession(
  executor: AgentExecutor,
  folders: AgentFolders,
  options: Partial<AgentRunOptions> = {},
): Promise<{ readonly end: Promise<AgentReport> }> {
  const end = runSession(executor, folders, options);
  const isStarted = async (): Promise<boolean> => (await executor.getSessionOutput("s1")).text.includes("started");
  await vi.waitFor(async () => expect(await isStarted()).toBe(true), 100_000);
  return { end };
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/^\d+ \(.*\) [ZX]/u.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
