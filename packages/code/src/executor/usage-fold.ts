// The cost and the tokens of the agents of a workflow, read from its journal.
//
//   UF1. All sessions count: those of fixes and of the landing, and those that failed, met a rate limit or asked a person.
//        Only the usage of an attempt that a crash or a cancellation ended is not known.
//   UF2. The usage in the output of a session includes that of earlier ones that asked a person, which have counted when
//        they asked. A scope has the output, or the failure, of one of its steps, which counts once.

import type { ExecutionHandle, WatchEvent } from "@segno/engine";
import type { Event, Json, Value } from "@segno/kernel";
import { addUsage, type AgentUsage } from "../agents/agent-event.ts";
import { usageOfFailure } from "../steps/session-usage.ts";

/** A session, a session that goes on with an answer, or a fix. */
const SESSION = /(?:^|\/)(?:session-[^/]+|fix-\d+|session)$/u;
const ANSWERED = /(?:\/session)+$/u;
const TASK = /^(?:more-tasks\/)*(?:session|merge)-([^/]+)/u;

interface UsageInput {
  readonly usage?: AgentUsage;
}

export class UsageFold {
  readonly #tasks = new Map<string | undefined, AgentUsage>();
  readonly #scopes = new Set<number>();
  /** The usage of sessions that asked a person, by the first of them. */
  readonly #asked = new Map<string, AgentUsage>();

  get total(): AgentUsage {
    return [...this.#tasks.values()].reduce<AgentUsage>(addUsage, {});
  }

  /** The usage of a task with its fixes. Without an id: of the landing. */
  ofTask(taskId?: string): AgentUsage {
    return this.#tasks.get(taskId) ?? {};
  }

  apply(step: string, event: Event, output: Json | undefined): void {
    if (event.kind === "step.started") this.#start(step, event.step);
    if (event.kind === "step.retried") this.#add(step, usageOfFailure(event.failure));
    if (event.kind === "step.failed" && !this.#scopes.has(event.step)) this.#add(step, usageOfFailure(event.failure));
    if (event.kind === "step.completed" && !this.#scopes.has(event.step))
      this.#add(step, this.#since(step, (output as UsageInput | null | undefined)?.usage));
    if (event.kind === "step.expanded") this.#expand(step, event);
  }

  #start(step: string, index: number): void {
    this.#scopes.delete(index);
    if (step === first(step)) this.#asked.delete(step);
  }

  #expand(step: string, { step: index, children }: Event & { readonly kind: "step.expanded" }): void {
    this.#scopes.add(index);
    const steps = children.kind === "steps" ? children.steps : [];
    const { usage } = (steps.find(({ id }) => id === "session")?.input ?? {}) as UsageInput;
    if (usage === undefined) return;
    this.#add(step, this.#since(step, usage));
    this.#asked.set(first(step), usage);
  }

  /** UF2. */
  #since(step: string, usage: AgentUsage = {}): AgentUsage {
    const asked = this.#asked.get(first(step)) ?? {};
    const since: { -readonly [Key in keyof AgentUsage]: AgentUsage[Key] } = { ...usage };
    for (const key of ["inputTokens", "outputTokens", "costUsd"] as const)
      if (usage[key] !== undefined) since[key] = rounded(usage[key] - (asked[key] ?? 0));
    return since;
  }

  #add(step: string, usage: AgentUsage): void {
    const task = TASK.exec(step)?.[1];
    this.#tasks.set(task, addUsage(this.#tasks.get(task) ?? {}, usage));
  }
}

/** The session whose agent asked first. */
function first(step: string): string {
  return step.replace(ANSWERED, "");
}

/** Differences of amounts of money have no digits that the amounts do not have. */
function rounded(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

/** The usage of all sessions that have ended. */
export async function foldUsage(handle: ExecutionHandle): Promise<UsageFold> {
  const { seq } = await handle.status();
  const fold = new UsageFold();
  if (seq === 0) return fold;
  for await (const watched of handle.events()) {
    const { step, event } = watched;
    if (step !== undefined && SESSION.test(step)) fold.apply(step, event, await outputOf(handle, watched));
    if (event.seq >= seq) break;
  }
  return fold;
}

async function outputOf(handle: ExecutionHandle, { step, event }: WatchEvent): Promise<Json | undefined> {
  if (event.kind !== "step.completed") return undefined;
  const value: Value = event.output;
  return value.kind === "inline" ? value.json : await handle.output(step!);
}
