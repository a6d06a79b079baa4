// Agents: what runs a step, registered under a name.

import type { Json } from "@segno/kernel";
import type { StepContext } from "./step-context.ts";

export interface Agent {
  /** False for agents that never look at the outputs of other steps; then those are not brought together. */
  readonly needsOutputs?: boolean;
  /** False for agents whose steps have to stay single: then steps that they return fail the attempt. */
  readonly mayExpand?: boolean;
  /** What bounds an attempt whose step says nothing; an attempt without either is not bounded (FAIL-4). */
  readonly timeoutMs?: number | undefined;
  /** `outputs` are those of the step's direct dependencies, by their ids. */
  execute(outputs: Readonly<Record<string, Json>>, context: StepContext): unknown;
}

export type AgentFunction = (input: Json, context: StepContext) => unknown;

/** Whether something can be registered to run steps. */
export function isAgent(value: unknown): value is Agent | AgentFunction {
  if (typeof value === "function") return true;
  return typeof value === "object" && value !== null && typeof (value as Partial<Agent>).execute === "function";
}

/** A function as an agent: it gets the step's input first. */
export function functionAgent(work: AgentFunction): Agent {
  return { needsOutputs: false, execute: (_, context) => work(context.input, context) };
}

/** FAIL-4. */
const BASE_AGENT_TIMEOUT_MS = 30_000;

/** An agent with something to clean up: `cleanup` runs after every attempt, whatever became of it (CANCEL-1). */
export abstract class BaseAgent<Input = Json, Output = unknown> implements Agent {
  readonly timeoutMs: number | undefined = BASE_AGENT_TIMEOUT_MS;
  readonly needsOutputs = false;

  abstract perform(input: Input, context: StepContext<Input>): Promise<Output> | Output;

  cleanup(): Promise<void> | void {}

  async execute(_: Readonly<Record<string, Json>>, context: StepContext): Promise<Output> {
    context.signal.throwIfAborted();
    try {
      return await this.perform(context.input as Input, context as StepContext<Input>);
    } finally {
      await this.cleanup();
    }
  }
}
