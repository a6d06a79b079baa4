// A portion as an execution: the workflow of one step that all portions of a batch share, and the agent behind it.
//
//   W1. A batch with an id has a workflow and an agent of its own, so that what a process before left unfinished waits for
//       this batch and for no other. Those without an id share theirs: nothing goes on with them.
//   W2. The agent knows no function. It asks the desk of its engine which batch is under way, so nothing of a batch that is
//       over is kept alive by the engine's registry.
//   W3. What a portion gives is wrapped, so that nothing, null and a skip are three things.

import { definitionOf, type ContractDocument, type StepDocument } from "@segno/contract";
import { formatJsonPath, PermanentError, SegnoError, type Definition, type Json } from "@segno/kernel";
import type { Engine } from "../engine.ts";
import type { BuiltWorkflow } from "../registry.ts";
import type { Agent } from "../runners/agent.ts";
import { isExpansion } from "../runners/expansion.ts";
import { isSkip } from "../runners/skip.ts";
import type { StepContext } from "../runners/step-context.ts";

/** What the execution of a portion is given. `items` stand there when they are to outlast the process. */
export type PortionInput = {
  readonly batch: string;
  readonly portion: number;
  readonly index: number;
  readonly items?: readonly Json[];
};

export type PortionOutput = { readonly output: Json } | { readonly skipped: string };

export type PortionWork = (input: PortionInput, step: StepContext) => unknown;

/** Batches under way, by their ids. */
export type Desk = Map<string, PortionWork>;

const DESKS = new WeakMap<Engine, Desk>();

export function deskOf(engine: Engine): Desk {
  const desk: Desk = DESKS.get(engine) ?? new Map<string, PortionWork>();
  DESKS.set(engine, desk);
  return desk;
}

export interface PortionPolicy {
  readonly retry?: StepDocument["retry"];
  readonly timeout?: StepDocument["timeout"];
  readonly grace?: ContractDocument["grace"];
}

const WORKFLOW = "batch";
const STEP = "process";

/** Refused where the policy is none; names what is wrong with it. */
export function portionDefinition({ retry, timeout, grace }: PortionPolicy): Definition {
  const step: StepDocument = {
    id: STEP,
    agent: STEP,
    ...(retry === undefined ? {} : { retry }),
    ...(timeout === undefined ? {} : { timeout }),
  };
  const document = { name: WORKFLOW, ...(grace === undefined ? {} : { grace }), steps: [step] };
  const result = definitionOf({ ...document, output: `\${ steps.${STEP}.output }` });
  if (result.kind === "definition") return result.definition;
  const [{ path, message }] = result.problems as [(typeof result.problems)[number]];
  const option = path[0] === "steps" ? path.slice(2) : path;
  throw new SegnoError("OPTION_INVALID", `\`${formatJsonPath(option)}\`: ${message}`);
}

/** A duration as milliseconds, by the rules that hold for all durations (CONTRACT-7). */
export function millisecondsOf(option: string, duration: number | string): number {
  const result = definitionOf({ name: WORKFLOW, timeout: duration, steps: [{ id: STEP, agent: STEP }] });
  if (result.kind === "definition") return result.definition.timeout!;
  throw new SegnoError("OPTION_INVALID", `\`${option}\`: ${result.problems[0]!.message}`);
}

/** W1. */
export function portionWorkflow(
  engine: Engine,
  definition: Definition,
  id: string | undefined,
): BuiltWorkflow<PortionInput, PortionOutput> {
  const name = id === undefined ? WORKFLOW : `${WORKFLOW}/${id}`;
  const agent = `${name}/${STEP}`;
  const [step] = definition.steps;
  const steps = [{ ...step!, action: { kind: "agent", agent } as const }];
  return { definition: { ...definition, name, steps }, agents: new Map([[agent, deskAgent(engine)]]) };
}

/** W2. */
function deskAgent(engine: Engine): Agent {
  const desk = deskOf(engine);
  return {
    needsOutputs: false,
    mayExpand: false,
    execute: async (_, step) => {
      const input = step.input as PortionInput;
      const work = desk.get(input.batch);
      if (work === undefined) throw new PermanentError(`the batch ${input.batch} is not under way any more`);
      const output = await work(input, step);
      if (isExpansion(output)) return output;
      return isSkip(output) ? { skipped: output.reason } : { output: output ?? null };
    },
  };
}
