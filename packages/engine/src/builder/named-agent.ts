// An agent by its name, as the work of a step.

import type { Json } from "@segno/kernel";
import { functionAgent, type Agent } from "../agents/agent.ts";
import type { StepContext } from "../agents/step-context.ts";

/** `Result` is what the agent gives back; nothing checks it at run time but the step's `output.schema`. */
export interface NamedAgent<Result = Json> {
  readonly kind: "agent";
  readonly name: string;
  /** Registered with the workflow; absent when the engine knows it, or will. */
  readonly agent?: Agent;
  /** Never there: it carries the type. */
  readonly result?: Result;
}

/** An agent that is registered with the engine; it gets the step's `input`, or the workflow's where the step has none. */
export function agent<Result = Json>(name: string): NamedAgent<Result>;
/** The same, registered along with the workflow. Where an agent's type does not say what it gives back, `Result` does. */
export function agent<Result>(
  name: string,
  work: Agent<Result> | Agent | ((input: Json, context: StepContext) => Result | Promise<Result>),
): NamedAgent<Result>;
export function agent(
  name: string,
  work?: Agent | ((input: Json, context: StepContext) => unknown),
): NamedAgent<unknown> {
  if (work === undefined) return { kind: "agent", name };
  return { kind: "agent", name, agent: typeof work === "function" ? functionAgent(work) : work };
}
