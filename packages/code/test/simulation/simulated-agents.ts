// The agents of a simulation. They write files one after another, so that a crash may leave a part of their work.

import type {
  AgentExecutor,
  AgentReport,
  AgentSession,
  AgentSessionRequest,
  SessionOutput,
} from "../../src/agents/agent-executor.ts";
import type { AgentOutcome } from "../../src/agents/agent-outcome.ts";
import type { LandingDisk } from "./landing-disk.ts";
import type { TaskPlan, WorkflowPlan } from "./landing-plan.ts";
import { badFile, repair, taskChanges } from "./simulated-files.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

const SUCCEEDED: AgentReport = { outcome: { kind: "succeeded" }, usage: {} };

export class SimulatedAgents implements AgentExecutor {
  readonly #process: SimulatedProcess;
  readonly #disk: LandingDisk;
  readonly #plan: WorkflowPlan;
  readonly #requests = new Map<string, AgentSessionRequest>();

  constructor(process: SimulatedProcess, disk: LandingDisk, plan: WorkflowPlan) {
    this.#process = process;
    this.#disk = disk;
    this.#plan = plan;
  }

  async createSession(request: AgentSessionRequest): Promise<AgentSession> {
    this.#requests.set(request.sessionId, request);
    return { sessionId: request.sessionId, agentId: "simulated" };
  }

  async executeTask(sessionId: string): Promise<AgentReport> {
    const request = this.#requests.get(sessionId)!;
    await this.#checkClaim(request);
    await this.#work();
    const { fix } = request.context;
    if (fix !== undefined) return await this.#fix(request, fix.originalTaskId, fix.fixNumber);
    const task = this.#plan.tasks.find(({ id }) => id === request.taskId)!;
    const outcome = this.#firstTry(task);
    if (outcome !== undefined) return { outcome, usage: {} };
    await this.#write(request, taskChanges(this.#disk.folder(request.workspacePath).files, this.#plan.id, task));
    return SUCCEEDED;
  }

  async getSessionOutput(): Promise<SessionOutput> {
    return { text: "", nextByte: 0, isEnded: true };
  }

  async terminateSession(): Promise<void> {}

  /** With a task backend, an agent works only on a task that its executor has claimed (CODE-1). */
  async #checkClaim({ taskId, context }: AgentSessionRequest): Promise<void> {
    if (context.fix !== undefined) return;
    const task = await this.#disk.backend.getTask(`${this.#plan.id}-${taskId}`);
    if (task?.status !== "in_progress") this.#disk.fail(`J5 an agent works on ${taskId}, which is not claimed`);
  }

  #firstTry({ id, firstTry }: TaskPlan): AgentOutcome | undefined {
    const name = `${this.#plan.id}/${id}`;
    if (firstTry === "works" || this.#disk.tried.has(name)) return undefined;
    this.#disk.tried.add(name);
    return firstTry === "fails"
      ? { kind: "failed", reason: "the agent lost its connection", isLasting: false }
      : { kind: "rate-limited", retryAfterMs: 700 };
  }

  async #fix(request: AgentSessionRequest, originalTask: string, number: number): Promise<AgentReport> {
    const folder = this.#disk.folder(request.workspacePath);
    const task = this.#plan.tasks.find(({ id }) => id === originalTask);
    const helpsAt = task?.trouble === "bad" ? task.helpsAt : this.#plan.helpsAt;
    if (number >= helpsAt) {
      const repaired = repair(folder.files);
      for (const name of folder.files.keys()) if (!repaired.has(name)) folder.files.delete(name);
      await this.#write(request, [...repaired]);
    } else await this.#write(request, this.#uselessChanges(originalTask, number, folder.files));
    return SUCCEEDED;
  }

  #uselessChanges(task: string, number: number, files: Map<string, string>): readonly (readonly [string, string])[] {
    const { id, uselessFix } = this.#plan;
    if (uselessFix === "changes nothing") return [];
    if (uselessFix === "changes another file") return [[`try-${id}-${task}.txt`, `${number}\n`]];
    const bad = badFile(id, task);
    for (const name of files.keys()) if (name.startsWith(bad)) files.delete(name);
    // The name has no number, because numbers do not tell failures apart.
    return [[`${bad}${"x".repeat(number)}`, "bad\n"]];
  }

  async #write({ workspacePath }: AgentSessionRequest, changes: readonly (readonly [string, string])[]): Promise<void> {
    for (const [path, text] of changes) {
      await this.#work();
      this.#disk.folder(workspacePath).files.set(path, text);
    }
    await this.#work();
  }

  async #work(): Promise<void> {
    const { environment } = this.#process;
    await this.#process.step("agent");
    await environment.sleep(environment.world.random.below(40), "agent works");
  }
}
