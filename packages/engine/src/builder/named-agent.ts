// An agent, by name, as the work of a step.

import type { Json } from "@segno/kernel";
import { functionAgent, type Agent, type NamedAgent } from "../agents/agent.ts";
import type { StepContext } from "../agents/step-context.ts";
import { hasSchemas, schemaAgent, type OutputAgent, type SchemaAgent } from "./schema-agent.ts";

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
/**
 * An agent with Standard Schemas, such as those of zod: the input is checked and converted before `execute`, the output after it.
 *
 * ```ts
 * const summarise = agent("summarise", {
 *   input: z.object({ text: z.string() }),
 *   output: z.object({ title: z.string(), points: z.array(z.string()) }),
 *   execute: ({ text }) => askModel(text),
 * });
 * ```
 */
export function agent<Input, Result, Output = Result>(
  name: string,
  work: SchemaAgent<Input, Result, Output>,
): NamedAgent<Output>;
/** The same without a schema of the input. */
export function agent<Output>(name: string, work: OutputAgent<Output>): NamedAgent<Output>;
/** A named agent that is registered together with the workflow, unless the engine has one of this name. `Result` gives the output type if the agent's type does not. */
export function agent<Result>(
  name: string,
  // Without the two keys, the compiler would give the parameters of an agent with schemas the types of this overload.
  work:
    | ((Agent<Result> | Agent) & { readonly input?: never; readonly output?: never })
    | ((input: Json, context: StepContext) => Result | Promise<Result>),
): NamedAgent<Result>;
export function agent(
  name: string,
  work?:
    | Agent
    | SchemaAgent<never, unknown, unknown>
    | OutputAgent<unknown>
    | ((input: Json, context: StepContext) => unknown),
): NamedAgent<unknown> {
  if (work === undefined) return { kind: "agent", name };
  if (typeof work === "object" && work !== null && hasSchemas(work))
    return { kind: "agent", name, agent: schemaAgent(name, work) };
  return { kind: "agent", name, agent: typeof work === "function" ? functionAgent(work) : work };
}
