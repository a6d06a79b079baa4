// An agent, by name, as the work of a step.

import type { Json } from "@segno/kernel";
import { functionAgent, type Agent } from "../agents/agent.ts";
import type { StepContext } from "../agents/step-context.ts";

/** `Result` is the static type of the output. At run time only the step's `output.schema` checks it. */
export interface NamedAgent<Result = Json> {
  readonly kind: "agent";
  readonly name: string;
  /** The agent that is registered with the workflow; absent if the agent is registered with the engine. */
  readonly agent?: Agent;
  /** Never present at run time: it carries the type. */
  readonly result?: Result;
}

/**
 * An agent that is registered with the engine. It gets the step's `input`, or the workflow's if the step has none.
 *
 * @example
 * ```ts
 * import { agent, Engine, workflow } from "segno";
 *
 * const review = workflow<{ text: string }>("review")
 *   .step("count", { input: "${ input.text }" }, agent<number>("counter"))
 *   .output(({ outputs }) => outputs.count);
 *
 * await using engine = await Engine.open({ store: "none", limits: { perAgent: 2 } });
 * engine.agent("counter", (input) => String(input).split(" ").length);
 * const execution = await engine.start(review, { text: "three short words" });
 * console.log(await execution.result()); // 3
 * ```
 */
export function agent<Result = Json>(name: string): NamedAgent<Result>;
/** The same, registered together with the workflow. `Result` gives the output type if the agent's type does not. */
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
