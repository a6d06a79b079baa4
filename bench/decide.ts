// Driving an execution to its end in memory: every step is granted, runs and completes; every event is decided and folded.
//
// Baseline: the loop that one would write by hand: counts of unmet dependencies, a queue, and as many records as the
// kernel writes events. It decides nothing else, keeps no state and could not be recovered.

import {
  advance,
  contentHash,
  createState,
  epochMs,
  executionId,
  inlineValue,
  compileOrThrow,
  stepId,
  type Definition,
  type Effect,
  type Event,
  type Happening,
  type Outcome,
  type Program,
  type State,
  type StoredValues,
} from "@segno/kernel";
import { contest, type Medians } from "./contest.ts";
import { figure, ms, type Figure } from "./figure.ts";
import { listDependants, layeredGraph, type LayeredGraph } from "./layered-graph.ts";

const NO_STORED_VALUES: StoredValues = { value: () => undefined, checkSchema: () => [] };
const OUTPUT = inlineValue(null);
const SUCCESS: Outcome = { kind: "succeeded", output: OUTPUT };

export async function benchDecide(): Promise<readonly Figure[]> {
  const small = layeredGraph(10_000, 50_000);
  const large = layeredGraph(100_000, 500_000);
  return [await againstLoop(small), await linearity(small, large), memory(small)];
}

function makeDefinition({ ids, dependencies }: LayeredGraph): Definition {
  const steps = ids.map((id, step) => ({
    id: stepId(id),
    action: { kind: "agent", agent: "noop" } as const,
    dependsOn: dependencies[step]!.map((dependency) => ({ step: stepId(ids[dependency]!), on: "succeeded" as const })),
  }));
  return { name: "bench", steps };
}

/** The least engine there is: it grants at once, every step returns null, and the journal is a list. */
function drive(program: Program): { state: State; journal: Event[] } {
  const state = createState(program);
  const journal: Event[] = [];
  const effects: Effect[] = [];
  const take = (happening: Happening): void => {
    const turn = advance(state, happening, NO_STORED_VALUES);
    for (const event of turn.events) journal.push(event);
    for (const effect of turn.effects) if (effect.kind !== "release") effects.push(effect);
  };
  const at = epochMs(1);
  take({
    kind: "create",
    at,
    execution: executionId("bench"),
    definition: contentHash("bench"),
    input: OUTPUT,
    seed: 1,
    correlationId: "bench",
  });
  take({ kind: "begin", at });
  for (let effect = effects.pop(); effect !== undefined; effect = effects.pop()) {
    if (effect.kind === "admit") take({ kind: "granted", at, step: effect.step });
    else if (effect.kind === "run")
      take({ kind: "ended", at, step: effect.step, epoch: effect.epoch, outcome: SUCCESS });
  }
  if (state.baseStatus !== "completed") throw new Error(`the benchmark's execution ended as ${state.baseStatus}`);
  return { state, journal };
}

interface LoopRecord {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly step: number;
}

function loop({ ids, dependencies }: LayeredGraph, dependants: readonly (readonly number[])[]): LoopRecord[] {
  const unmet = dependencies.map((list) => list.length);
  const queue: number[] = [];
  const records: LoopRecord[] = [];
  for (let step = 0; step < ids.length; step++) if (unmet[step] === 0) queue.push(step);
  for (let head = 0; head < queue.length; head++) {
    const step = queue[head]!;
    records.push({ seq: records.length, at: 1, kind: "started", step });
    records.push({ seq: records.length, at: 1, kind: "completed", step });
    for (const dependant of dependants[step]!) if (--unmet[dependant]! === 0) queue.push(dependant);
  }
  return records;
}

function driven(graph: LayeredGraph, rounds: number): Promise<Medians> {
  const program = compileOrThrow(makeDefinition(graph));
  const dependants = listDependants(graph);
  return contest({ ours: () => drive(program), baseline: () => loop(graph, dependants), rounds, warmUps: 5 });
}

async function againstLoop(graph: LayeredGraph): Promise<Figure> {
  const { oursMs, baselineMs } = await driven(graph, 41);
  return figure(
    "decide: 10,000 steps against a counter loop",
    oursMs / baselineMs,
    8,
    `${ms(oursMs)} against ${ms(baselineMs)}`,
  );
}

async function linearity(small: LayeredGraph, large: LayeredGraph): Promise<Figure> {
  const [few, many] = [await driven(small, 21), await driven(large, 7)];
  const ratio = many.oursMs / few.oursMs / (many.baselineMs / few.baselineMs);
  const note = `ours ${ms(few.oursMs)} to ${ms(many.oursMs)}, loop ${ms(few.baselineMs)} to ${ms(many.baselineMs)}`;
  return figure("decide: growth from 10,000 to 100,000 steps against the loop's", ratio, 1.5, note);
}

/** The bytes that a finished execution keeps for each step, without its program, which all executions share. */
function memory(graph: LayeredGraph): Figure {
  const program = compileOrThrow(makeDefinition(graph));
  const keep: State[] = [];
  drive(program);
  const before = heap();
  for (let execution = 0; execution < 20; execution++) keep.push(drive(program).state);
  const bytes = (heap() - before) / keep.length / graph.ids.length;
  return figure("decide: bytes of state a step, over 300", bytes / 300, 1, `${bytes.toFixed(0)} bytes`);
}

function heap(): number {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc, as `npm run bench` does");
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
