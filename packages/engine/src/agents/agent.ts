// Agents: what runs a step, registered under a name.

import type { Json } from "@segno/kernel";
import type { StepContext } from "./step-context.ts";

/** `Output` is what it gives back, where that is known; nothing checks it at run time but the step's `output.schema`. */
export interface Agent<Output = unknown> {
  /** False for agents that never look at the outputs of other steps; then those are not brought together. */
  readonly needsOutputs?: boolean;
  /** False for agents whose steps have to stay single: then steps that they return fail the attempt. */
  readonly mayExpand?: boolean;
  /** What bounds an attempt whose step says nothing; an attempt without either is not bounded (FAIL-4). */
  readonly timeoutMs?: number | undefined;
  /** True where the engine's `callbackTimeoutMs` bounds an attempt that nothing else bounds. */
  readonly isCallback?: boolean;
  /** `outputs` are those of the step's direct dependencies, by their ids. */
  execute(outputs: Readonly<Record<string, Json>>, context: StepContext): Output | Promise<Output>;
  /**
   * The attempt with this context was given up, and what `execute` may still do for it counts for nothing (CANCEL-2). Told
   * once, and also of an attempt that was given up before `execute` was called. What it throws disturbs nobody.
   */
  abandoned?(context: StepContext): void | Promise<void>;
}

export type AgentFunction = (input: Json, context: StepContext) => unknown;

export function isAgent(value: unknown): value is Agent {
  return typeof value === "object" && value !== null && typeof (value as Partial<Agent>).execute === "function";
}

/** Whether something can be registered to run steps. */
export function canRun(value: unknown): value is Agent | AgentFunction {
  return typeof value === "function" || isAgent(value);
}

/** A function as an agent: it gets the step's input first. */
export function functionAgent(work: AgentFunction): Agent {
  return { needsOutputs: false, execute: (_, context) => work(context.input, context) };
}

/** FAIL-4. */
const BASE_AGENT_TIMEOUT_MS = 30_000;

/**
 * An agent with something to clean up: `cleanup` runs once for every attempt that called `perform`, whatever became of it
 * (CANCEL-1). It runs when `perform` has settled, or when the attempt is given up, for then it may never settle (CANCEL-2).
 */
export abstract class BaseAgent<Input = Json, Output = unknown> implements Agent<Output> {
  readonly timeoutMs: number | undefined = BASE_AGENT_TIMEOUT_MS;
  readonly needsOutputs = false;
  /** The attempts that called `perform`; the same agent may be at work for several. Their clean-up, once it has begun. */
  readonly #cleanups = new WeakMap<StepContext, Promise<void> | undefined>();

  abstract perform(input: Input, context: StepContext<Input>): Promise<Output> | Output;

  cleanup(): Promise<void> | void {}

  async execute(_: Readonly<Record<string, Json>>, context: StepContext): Promise<Output> {
    context.signal.throwIfAborted();
    this.#cleanups.set(context, undefined);
    const output = await this.#performWithCleanup(context);
    await this.#cleanUp(context);
    return output;
  }

  abandoned(context: StepContext): Promise<void> | void {
    if (this.#cleanups.has(context)) return this.#cleanUp(context);
  }

  /**
   * What `perform` threw is the failure, whatever `cleanup` throws after it. That is not made its cause either: causes have
   * a say in whether an attempt is tried again (FAIL-1).
   */
  async #performWithCleanup(context: StepContext): Promise<Output> {
    try {
      return await this.perform(context.input as Input, context as StepContext<Input>);
    } catch (error) {
      await this.#cleanUp(context).catch(() => undefined);
      throw error;
    }
  }

  /** Whoever comes second waits for the clean-up that is under way: an attempt is not over before it. */
  #cleanUp(context: StepContext): Promise<void> {
    const cleanup = this.#cleanups.get(context) ?? this.#cleanUpNow();
    this.#cleanups.set(context, cleanup);
    return cleanup;
  }

  async #cleanUpNow(): Promise<void> {
    await this.cleanup();
  }
}
