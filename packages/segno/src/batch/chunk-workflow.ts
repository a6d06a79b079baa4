// A chunk as an execution: the workflow of one step that all chunks of a batch share, and its agent.
//
//   W1. A batch with an id has its own workflow and agent, so that unfinished chunks of an earlier process wait for
//       this batch. Batches without an id share theirs, because they are never continued.
//   W2. The agent holds no function. It looks up the active batch of its engine, so the engine's registry does not keep
//       an ended batch alive.
//   W3. The result of a chunk is wrapped, to distinguish undefined, null and a skip.

import { toDefinition, type RawContract, type RawStep } from "@segno/contract";
import {
  isExpansion,
  isSkip,
  skipReason,
  type Agent,
  type BuiltWorkflow,
  type Engine,
  type StepContext,
} from "@segno/engine";
import { formatJsonPath, PermanentError, SegnoError, type Definition, type Json } from "@segno/kernel";

/** The input of a chunk's execution. It contains `items` if they must survive the process. */
export type ChunkInput = {
  readonly batch: string;
  readonly chunk: number;
  readonly index: number;
  readonly items?: readonly Json[];
};

export type ChunkOutput = { readonly output: Json } | { readonly skipped: string };

export type ChunkWork = (input: ChunkInput, step: StepContext) => unknown;

/** Active batches, by id. */
export type ActiveBatches = Map<string, ChunkWork>;

const ACTIVE_BATCHES = new WeakMap<Engine, ActiveBatches>();

export function activeBatches(engine: Engine): ActiveBatches {
  const host: ActiveBatches = ACTIVE_BATCHES.get(engine) ?? new Map<string, ChunkWork>();
  ACTIVE_BATCHES.set(engine, host);
  return host;
}

export interface ChunkStepPolicy {
  readonly retry: RawStep["retry"];
  readonly timeout: RawStep["timeout"];
  readonly grace: RawContract["grace"];
}

const WORKFLOW = "batch";
const STEP = "process";

/** Throws if the policy is invalid; the error names the problems. */
export function chunkDefinition({ retry, timeout, grace }: ChunkStepPolicy): Definition {
  const step: RawStep = {
    id: STEP,
    agent: STEP,
    ...(retry === undefined ? {} : { retry }),
    ...(timeout === undefined ? {} : { timeout }),
  };
  const document = { name: WORKFLOW, ...(grace === undefined ? {} : { grace }), steps: [step] };
  const result = toDefinition({ ...document, output: `\${ steps.${STEP}.output }` });
  if (result.kind === "definition") return result.definition;
  const [{ path, message }] = result.problems as [(typeof result.problems)[number]];
  const option = path[0] === "steps" ? path.slice(2) : path;
  throw new SegnoError("OPTION_INVALID", `\`${formatJsonPath(option)}\`: ${message}`);
}

/** A duration in milliseconds, by the rules of all durations (CONTRACT-7). */
export function parseMilliseconds(option: string, duration: number | string): number {
  const result = toDefinition({ name: WORKFLOW, timeout: duration, steps: [{ id: STEP, agent: STEP }] });
  if (result.kind === "definition") return result.definition.timeout!;
  throw new SegnoError("OPTION_INVALID", `\`${option}\`: ${result.problems[0]!.message}`);
}

/** W1. */
export function chunkWorkflow(
  engine: Engine,
  definition: Definition,
  id: string | undefined,
): BuiltWorkflow<ChunkInput, ChunkOutput> {
  const name = id === undefined ? WORKFLOW : `${WORKFLOW}/${id}`;
  const agent = `${name}/${STEP}`;
  const [step] = definition.steps;
  const steps = [{ ...step!, action: { kind: "agent", agent } as const }];
  return { definition: { ...definition, name, steps }, agents: new Map([[agent, chunkAgent(engine)]]) };
}

/** W2. */
function chunkAgent(engine: Engine): Agent {
  const host = activeBatches(engine);
  return {
    needsDependencyOutputs: false,
    mayExpand: false,
    execute: async (_, step) => {
      const input = step.input as ChunkInput;
      const work = host.get(input.batch);
      if (work === undefined) throw new PermanentError(`the batch ${input.batch} is no longer running`);
      const output = await work(input, step);
      if (isExpansion(output)) return output;
      return isSkip(output) ? { skipped: skipReason(output) } : { output: output ?? null };
    },
  };
}
