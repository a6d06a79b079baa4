// Sessions: a fresh workspace and a fresh agent for each attempt at a task (CODE-4, ruling 37).
//
//   SM1. The engine commits, from the files of the workspace. An agent's own commits decide nothing.
//   SM2. The number of sessions at work is limited (CODE-10). A session that is created beyond the limit waits.
//   SM3. A preserved session keeps its workspace; `cleanupSession` then ends the agent only (CODE-9).

import { LocalProcesses } from "@segno/engine";
import { CodeError } from "../errors/code-error.ts";
import type { ExecutionSession, SessionStatus, CodeTaskContext } from "../model/execution-session.ts";
import type { CodeTask, CodeTaskResult } from "../model/task.ts";
import { bareContext } from "../model/workflow-context.ts";
import type { AgentUsage } from "../agents/agent-event.ts";
import type { AgentExecutor, AgentReport, AgentRunOptions } from "../agents/agent-executor.ts";
import type { AgentOutcome } from "../agents/agent-outcome.ts";
import { workflowBranch as branchOfWorkflow } from "../git/branch-names.ts";
import type { DiffStat } from "../git/file-change.ts";
import type { Branches } from "../vcs/branches.ts";
import type { CommitOutcome, Workspaces } from "../workspaces/workspaces.ts";
import { commitMessage } from "./commit-message.ts";
import { SessionPlaces } from "./session-places.ts";
import { WarmWorkspaces } from "./warm-workspaces.ts";

/** The parts of a session that the task alone does not decide. */
export interface SessionDetails {
  readonly sessionId: string;
  readonly workspaceId: string;
  readonly taskBranch: string;
  readonly agent: string | undefined;
  readonly attempt: number;
  readonly context: CodeTaskContext;
  /** The folder of the prompt, the context and the transcript. */
  readonly folder: string;
  /** The parents of the commit, if the agent starts from a merge. */
  readonly parents?: readonly string[];
  readonly conflictedPaths?: readonly string[];
}

/** The result of a session: the outcome of its agent, and the files that it changed. */
export interface SessionResult extends CodeTaskResult {
  readonly outcome: AgentOutcome;
  readonly usage: AgentUsage;
  readonly changedFiles: readonly string[];
  readonly transcript?: string;
  /** The lines of the changed files; undefined if the workspaces do not count them. */
  readonly diff?: readonly DiffStat[];
}

/** Options of `SessionManager`. */
export interface SessionManagerOptions {
  /** The folder below which sessions keep their files. */
  readonly folder?: string;
  /** Finds the head of the branch that a session starts from. Without it, a session starts from a commit. */
  readonly branches?: Pick<Branches, "getBranchStatus">;
  /** A function is asked again each time that a session begins or ends. */
  readonly maxConcurrentSessions?: number | (() => number);
}

const SESSIONS_MAX = 10;
const FOLDER = ".segno/sessions";
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;

interface LiveSession {
  readonly details: SessionDetails;
  readonly task: CodeTask;
  readonly base: string;
  readonly leave: () => void;
  session: ExecutionSession;
  result: SessionResult | undefined;
  usage: AgentUsage;
  isPreserved: boolean;
}

/** Creates workspaces and agent sessions for tasks, runs the agents and commits their work. */
export class SessionManager {
  /** The workspaces for checks that this process has set up. */
  readonly setUpWorkspaces: Set<string> = new Set();
  readonly #workspaces: Workspaces;
  readonly #agents: AgentExecutor;
  /** For callers that run a session without an engine. */
  readonly #processes = new LocalProcesses();
  readonly #folder: string;
  readonly #places: SessionPlaces;
  readonly #live = new Map<string, LiveSession>();
  readonly #warm: WarmWorkspaces;
  readonly #branches: SessionManagerOptions["branches"];

  constructor(workspaces: Workspaces, agents: AgentExecutor, options: SessionManagerOptions = {}) {
    this.#workspaces = workspaces;
    this.#agents = agents;
    this.#folder = options.folder ?? FOLDER;
    this.#warm = new WarmWorkspaces(workspaces);
    this.#branches = options.branches;
    const { maxConcurrentSessions: max = SESSIONS_MAX } = options;
    this.#places = new SessionPlaces(typeof max === "function" ? max : () => max);
  }

  /** Creates the workspace of a task, cut from the workflow branch or from a commit, and the session of its agent. */
  async createSession(
    task: CodeTask,
    workflowBranch: string,
    { signal, ...given }: Partial<SessionDetails> & { readonly signal?: AbortSignal } = {},
  ): Promise<ExecutionSession> {
    const details = this.#details(task, workflowBranch, given);
    const leave = await this.#places.enter(signal);
    try {
      const { workspaceId, taskBranch, sessionId } = details;
      const workspace = await this.#workspace(workspaceId, taskBranch, await this.#startOf(workflowBranch));
      const { agentId } = await this.#agents.createSession({
        ...details,
        workflowId: task.workflowId,
        taskId: task.id,
        workspacePath: workspace.path,
        baseCommit: workspace.base,
      });
      const session: ExecutionSession = {
        sessionId,
        taskId: task.id,
        workspaceId,
        workspacePath: workspace.path,
        taskBranch,
        agentId,
        context: details.context,
        startTime: new Date(),
        status: "initializing",
      };
      const live = {
        details,
        task,
        base: workspace.base,
        leave,
        session,
        result: undefined,
        usage: {},
        isPreserved: false,
      };
      this.#live.set(sessionId, live);
      return session;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Runs the agent and commits its work. */
  async executeTask(
    { sessionId }: Pick<ExecutionSession, "sessionId">,
    options: Partial<AgentRunOptions> = {},
  ): Promise<SessionResult> {
    const live = this.#find(sessionId);
    this.#setStatus(live, "running");
    try {
      const report = await this.#agents.executeTask(sessionId, {
        signal: new AbortController().signal,
        processes: this.#processes,
        ...options,
      });
      live.usage = report.usage;
      live.result = await this.#collect(live, report);
      this.#setStatus(live, live.result.success ? "completed" : "failed");
      return live.result;
    } catch (error) {
      this.#setStatus(live, "failed");
      throw error;
    } finally {
      live.leave();
    }
  }

  /** The result of a session that has ended. */
  async captureResults({ sessionId }: Pick<ExecutionSession, "sessionId">): Promise<SessionResult> {
    const { result } = this.#find(sessionId);
    if (result === undefined) throw new CodeError("TASK_FAILED", `the session ${sessionId} has not ended`);
    return result;
  }

  /** Ends the agent of a session and removes its workspace, unless the workspace is preserved. */
  async cleanupSession({ sessionId }: Pick<ExecutionSession, "sessionId">): Promise<void> {
    const live = this.#live.get(sessionId);
    if (live === undefined) return;
    await this.terminateSession(sessionId);
    if (!live.isPreserved) await this.#workspaces.destroyWorkspace(live.session.workspaceId);
    this.#live.delete(sessionId);
  }

  /** The number of sessions that are at work in this process. */
  getActiveSessionCount(): number {
    return this.#places.taken;
  }

  /** Ends the agent of a session. */
  async terminateSession(sessionId: string): Promise<void> {
    await this.#agents.terminateSession(sessionId);
    this.#live.get(sessionId)?.leave();
  }

  /** Forgets a session that has ended. Its workspace stays as it is. */
  releaseSession(sessionId: string): void {
    this.#live.get(sessionId)?.leave();
    this.#live.delete(sessionId);
  }

  /** The folder with the files of a session. */
  folderOf(sessionId: string): string {
    return `${this.#folder}/${sessionId}`;
  }

  /** Keeps the workspace for a person (SM3). */
  preserveSession(sessionId: string): void {
    this.#find(sessionId).isPreserved = true;
  }

  /** Creates the workspace of a task before the task starts. The session then moves it to the commit that it starts from. */
  async warmupSession(
    task: CodeTask,
    branch: string = branchOfWorkflow(task.workflowId),
    commit?: string,
  ): Promise<boolean> {
    const { workspaceId, taskBranch } = this.#details(task, branch, {});
    const base = commit ?? (await this.#startOf(branch));
    return await this.#warm.create({ workflowId: task.workflowId, workspaceId, branch: taskBranch, base });
  }

  /** Removes the workspaces that were created early and not used, of one workflow or of all. */
  async discardWarmSessions(workflowId?: string): Promise<void> {
    await this.#warm.discard(workflowId);
  }

  /** The sessions that are at work in this process. */
  get activeSessions(): readonly ExecutionSession[] {
    return [...this.#live.values()]
      .map(({ session }) => session)
      .filter(({ status }) => status === "initializing" || status === "running");
  }

  /** A session by its id; undefined if this process does not run it. */
  findSession(sessionId: string): ExecutionSession | undefined {
    return this.#live.get(sessionId)?.session;
  }

  /** The usage of the agent of a session, also if its work could not be collected. */
  usageOf(sessionId: string): AgentUsage {
    return this.#live.get(sessionId)?.usage ?? {};
  }

  /** The commit that a session starts from. */
  async #startOf(branchOrCommit: string): Promise<string> {
    if (this.#branches === undefined || COMMIT.test(branchOrCommit)) return branchOrCommit;
    const { head } = await this.#branches.getBranchStatus(branchOrCommit);
    if (head === undefined) throw new CodeError("BRANCH_MISSING", `the branch \`${branchOrCommit}\` does not exist`);
    return head;
  }

  async #workspace(
    workspaceId: string,
    branch: string,
    base: string,
  ): Promise<{ readonly path: string; readonly base: string }> {
    const path = await this.#warm.take(workspaceId, base);
    return path === undefined ? await this.#workspaces.createWorkspace({ workspaceId, branch, base }) : { path, base };
  }

  async #collect(live: LiveSession, report: AgentReport): Promise<SessionResult> {
    const { outcome, usage, transcript } = report;
    const common = { usage, changedFiles: [], ...(transcript === undefined ? {} : { transcript }) };
    if (outcome.kind !== "succeeded" && outcome.kind !== "no-changes")
      return { ...common, success: false, error: outcomeText(outcome), outcome };
    const committed = await this.#commit(live, outcome.result?.commitMessage ?? outcome.result?.summary);
    const summary = outcome.result?.summary;
    return { ...common, ...(summary === undefined ? {} : { summary }), ...toResult(committed, outcome) };
  }

  async #commit({ details, task, base, session }: LiveSession, text: string | undefined): Promise<CommitOutcome> {
    const { parents, conflictedPaths, attempt } = details;
    return await this.#workspaces.commitChanges(session.workspaceId, {
      since: base,
      message: commitMessage({ task, attempt, agentId: session.agentId, text }),
      atMs: Date.now(),
      ...(parents === undefined ? {} : { parents }),
      ...(conflictedPaths === undefined ? {} : { conflictedPaths }),
    });
  }

  #details(task: CodeTask, workflowBranch: string, given: Partial<SessionDetails>): SessionDetails {
    const { id, workflowId } = task;
    const attempt = given.attempt ?? 1;
    const sessionId = given.sessionId ?? `${workflowId}-${id}-${attempt}`;
    return {
      sessionId,
      workspaceId: `${workflowId}/${id}`,
      taskBranch: `task/${workflowId}-${id}`,
      agent: undefined,
      attempt,
      context: minimalContext(task, workflowBranch),
      folder: this.folderOf(sessionId),
      ...given,
    };
  }

  #find(sessionId: string): LiveSession {
    const live = this.#live.get(sessionId);
    if (live === undefined) throw new CodeError("TASK_UNKNOWN", `this process has no session ${sessionId}`);
    return live;
  }

  #setStatus(live: LiveSession, status: SessionStatus): void {
    live.session = { ...live.session, status };
  }
}

function toResult(
  committed: CommitOutcome,
  outcome: AgentOutcome,
): Pick<SessionResult, "success" | "outcome" | "changedFiles" | "commit" | "diff" | "error"> {
  switch (committed.kind) {
    case "committed": {
      const { commit, changedFiles, diff } = committed;
      return { success: true, outcome, commit, changedFiles, ...(diff === undefined ? {} : { diff }) };
    }
    case "unchanged":
      return { success: true, outcome: { ...outcome, kind: "no-changes" }, changedFiles: [] };
    case "refused":
      return {
        success: false,
        error: committed.reason,
        outcome: { kind: "failed", reason: committed.reason, isLasting: false },
        changedFiles: [],
      };
    case "tampered":
      return {
        success: false,
        error: committed.reason,
        outcome: { kind: "tampered", reason: committed.reason },
        changedFiles: [],
      };
  }
}

export function outcomeText(outcome: AgentOutcome): string {
  switch (outcome.kind) {
    case "failed":
    case "spawn-error":
    case "tampered":
      return outcome.reason;
    case "needs-input":
      return outcome.question;
    case "stalled":
      return `the agent wrote nothing for ${outcome.silentMs} ms`;
    case "timed-out":
      return "the agent took too long";
    case "rate-limited":
      return "the agent's provider limits its rate";
    case "cancelled":
      return "the agent was cancelled";
    case "succeeded":
    case "no-changes":
      return "";
  }
}

/** The context of a task that no workflow surrounds. */
function minimalContext(task: CodeTask, workflowBranch: string): CodeTaskContext {
  const { id, title, instructions, acceptanceCriteria, context, workflowId } = task;
  const workflow = bareContext(workflowId, workflowBranch);
  return { taskId: id, title, instructions, acceptanceCriteria, data: context, workflow, artefacts: {} };
}
