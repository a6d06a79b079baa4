// The spending of the workflows that this process runs, by workflow.
//
//   SB1. The journal is read once, before the first session of a workflow in this process begins. From then on the sessions
//        tell their cost themselves.

import type { Engine } from "@segno/engine";
import type { Event, ExecutionId, Json, Value } from "@segno/kernel";
import type { AgentUsage } from "../agents/agent-event.ts";
import { costOfFailure, WorkflowSpending } from "../steps/workflow-spending.ts";

export class SpendingBook {
  readonly #workflows = new Map<string, Promise<WorkflowSpending>>();

  of(engine: Engine, workflowId: string, budgetUsd: number): Promise<WorkflowSpending> {
    const known = this.#workflows.get(workflowId);
    if (known !== undefined) return known;
    const opened = spentInJournal(engine, workflowId).then((earlierUsd) => new WorkflowSpending(budgetUsd, earlierUsd));
    this.#workflows.set(workflowId, opened);
    opened.catch(() => this.#workflows.delete(workflowId));
    return opened;
  }

  forget(workflowId: string): void {
    this.#workflows.delete(workflowId);
  }
}

/** The cost of all sessions of a workflow that have ended. */
async function spentInJournal(engine: Engine, workflowId: string): Promise<number> {
  const handle = await engine.get(workflowId);
  const { seq } = await handle.status();
  const fold = new SpendingFold(workflowId);
  for await (const { event } of handle.events()) {
    const value = event.kind === "step.completed" ? event.output : undefined;
    const output = value === undefined ? undefined : await readOutput(engine, workflowId, value);
    fold.apply(event, output);
    if (event.seq >= seq) break;
  }
  return fold.spentUsd;
}

async function readOutput(engine: Engine, workflowId: string, value: Value): Promise<Json | undefined> {
  if (value.kind === "inline") return value.json;
  if (value.kind !== "stored") return undefined;
  return (await engine.extensions.readValues(workflowId as ExecutionId, [value.hash])).get(value.hash);
}

/** The parts of a session's output, or of the input of a session that goes on with an answer. */
interface SessionCost {
  readonly usage?: AgentUsage;
  readonly workspaceId?: string;
}

interface AnsweredInput extends SessionCost {
  readonly task?: { readonly id: string };
  readonly fix?: { readonly fixTaskId: string } | null;
}

class SpendingFold {
  readonly #workflowId: string;
  /** By workspace. The usage of a session includes that of earlier ones that asked a person. */
  readonly #sessions = new Map<string, number>();
  readonly #scopes = new Set<number>();
  #failedUsd = 0;

  constructor(workflowId: string) {
    this.#workflowId = workflowId;
  }

  get spentUsd(): number {
    return [...this.#sessions.values()].reduce((sum, costUsd) => sum + costUsd, this.#failedUsd);
  }

  apply(event: Event, output: Json | undefined): void {
    if (event.kind === "step.completed") this.#add(output as SessionCost | undefined);
    if (event.kind === "step.retried") this.#failedUsd += costOfFailure(event.failure);
    // A scope fails with the failure of a child, which counts once.
    if (event.kind === "step.failed" && !this.#scopes.has(event.step)) this.#failedUsd += costOfFailure(event.failure);
    if (event.kind === "step.expanded") this.#expand(event);
  }

  #expand({ step, children }: Event & { readonly kind: "step.expanded" }): void {
    this.#scopes.add(step);
    const steps = children.kind === "steps" ? children.steps : [];
    const { task, fix, usage } = (steps.find(({ id }) => id === "session")?.input ?? {}) as AnsweredInput;
    const id = fix?.fixTaskId ?? task?.id;
    if (id !== undefined && usage !== undefined) this.#add({ usage, workspaceId: `${this.#workflowId}/${id}` });
  }

  #add(cost: SessionCost | null | undefined): void {
    const { workspaceId, usage } = cost ?? {};
    if (typeof workspaceId === "string") this.#sessions.set(workspaceId, usage?.costUsd ?? 0);
  }
}
