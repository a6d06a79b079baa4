// Agents: registered by name, they run the steps that name them.

import type { Json } from "@segno/kernel";
import type { StepContext } from "./step-context.ts";

/** `Output` is the static type of the output. At run time only the step's `output.schema` checks it. */
export interface Agent<Output = unknown> {
  /** False for an agent that ignores the first argument of `execute`; the engine then does not collect the outputs. */
  readonly needsDependencyOutputs?: boolean;
  /** False for an agent that must not return an expansion (`expand`); an expansion then fails the attempt. */
  readonly mayExpand?: boolean;
  /** The default timeout of an attempt whose step defines none. Without either there is no timeout (FAIL-4). */
  readonly timeoutMs?: number | undefined;
  /** True if the engine's `callbackTimeoutMs` applies to an attempt without another timeout. */
  readonly isCallback?: boolean;
  /** Checks the input before `execute` is called, within the engine's time limit of callbacks. A rejection fails the attempt. */
  readonly checkInput?: ((context: StepContext) => Promise<void>) | undefined;
  /** Checks and converts the value that `execute` returned, within the same limit. A rejection fails the attempt. */
  readonly checkOutput?: ((output: unknown) => Promise<unknown>) | undefined;
  /** `dependencyOutputs` holds the outputs of the step's direct dependencies, by id. */
  execute(dependencyOutputs: Readonly<Record<string, Json>>, context: StepContext): Output | Promise<Output>;
  /**
   * Called once when the attempt with this context is stopped by force, even if `execute` was never called. `execute`
   * may still run, but its result is ignored (CANCEL-2). Errors that this method throws are ignored.
   */
  abandoned?(context: StepContext): void | Promise<void>;
}

/** An agent as a function of the step's input. It returns the output of the step. */
export type AgentFunction = (input: Json, context: StepContext) => unknown;

/** `Result` is the static type of the output. At run time only the step's `output.schema` checks it. */
export interface NamedAgent<Result = Json> {
  readonly kind: "agent";
  readonly name: string;
  /** The agent that is registered with the workflow, unless the engine has one of this name; absent if the agent is registered with the engine only. */
  readonly agent?: Agent;
  /** Never present at run time: it carries the type. */
  readonly result?: Result;
}

/** An agent as it can be given to an engine: a function, an object, or the result of `agent(name, work)`. */
export type GivenAgent = AgentFunction | Agent | NamedAgent<unknown>;

export function isAgent(value: unknown): value is Agent {
  return typeof value === "object" && value !== null && typeof (value as Partial<Agent>).execute === "function";
}

/** Whether a value can be registered as an agent. */
export function canRun(value: unknown): value is GivenAgent {
  return typeof value === "function" || isAgent(value) || isWholeNamedAgent(value);
}

/** Without the work, the result of `agent(name)` has nothing to run. */
function isWholeNamedAgent(value: unknown): value is NamedAgent<unknown> & { readonly agent: Agent } {
  if (typeof value !== "object" || value === null) return false;
  const { kind, agent } = value as Partial<NamedAgent>;
  return kind === "agent" && isAgent(agent);
}

/** The result of `agent(name, work)` that is given under another name would have a name without effect. */
export function otherName(given: GivenAgent, name: string): string | undefined {
  return isWholeNamedAgent(given) && given.name !== name ? given.name : undefined;
}

export function toAgent(given: GivenAgent): Agent {
  if (typeof given === "function") return functionAgent(given);
  return isWholeNamedAgent(given) ? given.agent : (given as Agent);
}

/** Wraps a function as an agent; the function gets the step's input first. */
export function functionAgent(work: AgentFunction): Agent {
  return { needsDependencyOutputs: false, execute: (_, context) => work(context.input, context) };
}

/** FAIL-4. */
const BASE_AGENT_TIMEOUT_MS = 30_000;

/**
 * An agent with a clean-up: `cleanup` runs once for every attempt that called `perform`, whatever its outcome
 * (CANCEL-1). It runs when `perform` has settled, or when the attempt is stopped by force, because `perform` may then never
 * settle (CANCEL-2).
 */
export abstract class BaseAgent<Input = Json, Output = unknown> implements Agent<Output> {
  readonly timeoutMs: number | undefined = BASE_AGENT_TIMEOUT_MS;
  readonly needsDependencyOutputs = false;
  /**
   * The attempts that called `perform`, with their clean-up once it has begun. One agent may run several attempts at
   * once.
   */
  readonly #cleanups = new WeakMap<StepContext, Promise<void> | undefined>();

  /** Does the work of one attempt and returns the output of the step. */
  abstract perform(input: Input, context: StepContext<Input>): Promise<Output> | Output;

  /** Called once for every attempt that called `perform`, whatever its outcome. The default does nothing. */
  cleanup(): Promise<void> | void {}

  /** Called by the engine; it calls `perform` and `cleanup`. Subclasses implement those instead. */
  async execute(_: Readonly<Record<string, Json>>, context: StepContext): Promise<Output> {
    context.signal.throwIfAborted();
    this.#cleanups.set(context, undefined);
    const output = await this.#performWithCleanup(context);
    await this.#cleanUp(context);
    return output;
  }

  /** Called if an attempt did not stop within its grace. */
  abandoned(context: StepContext): Promise<void> | void {
    if (this.#cleanups.has(context)) return this.#cleanUp(context);
  }

  /**
   * The error of `perform` is the failure, whatever `cleanup` throws after it. The error of `cleanup` is not attached
   * as a cause, because causes affect retries (FAIL-1).
   */
  async #performWithCleanup(context: StepContext): Promise<Output> {
    try {
      return await this.perform(context.input as Input, context as StepContext<Input>);
    } catch (error) {
      await this.#cleanUp(context).catch(() => undefined);
      throw error;
    }
  }

  /** A second caller waits for the clean-up in progress: an attempt has not ended before it. */
  #cleanUp(context: StepContext): Promise<void> {
    const cleanup = this.#cleanups.get(context) ?? this.#cleanUpNow();
    this.#cleanups.set(context, cleanup);
    return cleanup;
  }

  async #cleanUpNow(): Promise<void> {
    await this.cleanup();
  }
}
