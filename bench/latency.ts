// Latencies against SPEED-2, under a moderate load: 200 executions of a contract of 10 steps, 50 at once, on a disk with
// fsync. These are times, not ratios of two: the rule asks for times, and leaves room for slower machines than this.
//
// Times are measured from outside: by the steps themselves, by a subscriber and by the program that starts and waits:
//
//   parse        `loadContract` of the contract's text.
//   validate     the definition compiled, and the input checked against the contract's schema.
//   schedule     from the end of a step's last dependency to the first line of the step. A step begins when its start is
//                durable (JOURNAL-1), so a commit lies between; slots are never short here.
//   context      making a step's input: its expressions on the state of an execution that has ended, rendered and checked.
//   orchestrate  from the start to the first step, and from the end of the last step to the result.
//   observe      from the first line of a step to the subscriber that hears of its start.
//   overhead     from start to result, without the time in which a step ran.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createSchemaCheck, loadContract } from "@segno/contract";
import {
  compiledStep,
  compileOrThrow,
  stepCount,
  type ExecutionId,
  type Program,
  type StoredValues,
} from "@segno/kernel";
import { Engine, type StepContext } from "@segno/engine";
import { renderCall } from "../packages/kernel/src/rules/evaluate-step.ts";
import { inParallel } from "./engine-workflows.ts";
import { figure, type Figure } from "./figure.ts";
import { withFolder } from "./folder.ts";
import { ORDER_CONTRACT, ORDER_INPUT } from "./order-contract.ts";
import { inspectEngine } from "@segno/engine/testing";

const EXECUTIONS = 200;
const AT_ONCE = 50;
/** Executions that are not counted: code is compiled while they run. */
const WARM_UPS = 50;
const STEP_MS = 2;

/** SPEED-2. Where the rule has one figure, it is a share of the budget, and holds for the median. */
const LIMITS_MS = {
  parse: [5, 10, 20],
  validate: [10],
  schedule: [5, 10, 15],
  context: [10, 20, 30],
  orchestrate: [30],
  observe: [20],
  overhead: [50, 100, 150],
} as const;
const BUDGET_MS = 100;

type Part = keyof typeof LIMITS_MS;
type Samples = Readonly<Record<Part, readonly number[]>>;

const STORED_VALUES: StoredValues = { value: () => undefined, checkSchema: createSchemaCheck() };

export async function benchLatency(): Promise<readonly Figure[]> {
  const [parse, program] = parsing();
  const samples: Samples = {
    parse,
    validate: validating(),
    ...(await withFolder((folder) => running(folder, program))),
  };
  const parts = (Object.keys(LIMITS_MS) as Part[]).map((part) => partFigure(part, samples[part]));
  return [...parts, budgetFigure(samples)];
}

const PERCENTILES = [50, 95, 99] as const;

/** The worst of its percentiles against their limits. */
function partFigure(part: Part, samples: readonly number[]): Figure {
  const limits: readonly number[] = LIMITS_MS[part];
  const values = PERCENTILES.map((rank) => percentile(samples, rank));
  const ratio = Math.max(...limits.map((limit, index) => values[index]! / limit));
  const texts = PERCENTILES.map((rank, index) => {
    const limit = limits[index] === undefined ? "" : ` of ${limits[index]}`;
    return `p${rank} ${values[index]!.toFixed(2)}${limit}`;
  });
  return figure(`latency: ${part}, over what SPEED-2 allows`, ratio, 1, `${texts.join(", ")} ms (${samples.length})`);
}

/** The medians of everything that has a share in the budget, but for resources, which are not there yet. */
function budgetFigure(samples: Samples): Figure {
  const shares = (["parse", "validate", "schedule", "context", "orchestrate", "observe"] as const).map((part) =>
    percentile(samples[part], 50),
  );
  const sum = shares.reduce((total, share) => total + share, 0);
  const note = `${sum.toFixed(2)} of ${BUDGET_MS} ms, without resources`;
  return figure("latency: the medians together, over the budget", sum / BUDGET_MS, 1, note);
}

function percentile(samples: readonly number[], rank: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1)]!;
}

/** Not warmed up: a contract is often parsed once in a process, and its first parse is among these. */
function parsing(): readonly [readonly number[], Program] {
  const times = Array.from({ length: EXECUTIONS }, () => time(() => loadContract(ORDER_CONTRACT)));
  return [times, compileOrThrow(loadContract(ORDER_CONTRACT))];
}

function validating(): readonly number[] {
  const definition = loadContract(ORDER_CONTRACT);
  return Array.from({ length: EXECUTIONS }, () =>
    time(() => {
      compileOrThrow(definition);
      if (STORED_VALUES.checkSchema(definition.input!, ORDER_INPUT).length > 0)
        throw new Error("the benchmark's input does not fit");
    }),
  );
}

function time(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

interface Span {
  readonly from: number;
  to: number;
}

/** The times of one execution: when its steps ran, and when a subscriber got the events of their start. */
interface Trace {
  readonly steps: Map<string, Span>;
  readonly heard: Map<string, number>;
}

async function running(folder: string, program: Program): Promise<Omit<Samples, "parse" | "validate">> {
  const traces = new Map<string, Trace>();
  const readTrace = (id: string): Trace => {
    let trace = traces.get(id);
    if (trace === undefined) traces.set(id, (trace = { steps: new Map(), heard: new Map() }));
    return trace;
  };
  const work = async (_: unknown, { execution, step }: StepContext): Promise<unknown> => {
    const span: Span = { from: performance.now(), to: Infinity };
    readTrace(execution.id).steps.set(step.id, span);
    await sleep(STEP_MS);
    span.to = performance.now();
    return { done: true, step: step.id };
  };
  await using engine = await Engine.open({
    file: join(folder, "engine.db"),
    agents: { work },
    limits: { slots: 1000, perAgent: 1000 },
  });
  engine.subscribe({ kinds: ["step.started"] }, ({ events }) => {
    const now = performance.now();
    for (const { executionId, step } of events) readTrace(executionId).heard.set(step!, now);
  });
  const whole = new Map<string, Span>();
  const execute = async (): Promise<void> => {
    const from = performance.now();
    const handle = await engine.start(program.definition, ORDER_INPUT);
    await handle.result();
    whole.set(handle.id, { from, to: performance.now() });
  };
  await inParallel(WARM_UPS, AT_ONCE, execute);
  whole.clear();
  await inParallel(EXECUTIONS, AT_ONCE, execute);
  const seen = [...whole].map(([id, span]) => takeSamples(program, span, readTrace(id)));
  return {
    schedule: seen.flatMap(({ schedule }) => schedule),
    context: await makingContexts(engine, [...whole.keys()]),
    orchestrate: seen.map(({ orchestrate }) => orchestrate),
    observe: seen.flatMap(({ observe }) => observe),
    overhead: seen.map(({ overhead }) => overhead),
  };
}

interface ExecutionSamples {
  readonly schedule: readonly number[];
  readonly observe: readonly number[];
  readonly orchestrate: number;
  readonly overhead: number;
}

function takeSamples({ definition }: Program, whole: Span, { steps, heard }: Trace): ExecutionSamples {
  const schedule = definition.steps.flatMap(({ id, dependsOn = [] }) =>
    dependsOn.length === 0 ? [] : [steps.get(id)!.from - Math.max(...dependsOn.map(({ step }) => steps.get(step)!.to))],
  );
  const observe = [...steps].map(([step, { from }]) => Math.max(0, heard.get(step)! - from));
  const spans = [...steps.values()];
  const first = Math.min(...spans.map(({ from }) => from));
  const last = Math.max(...spans.map(({ to }) => to));
  return {
    schedule,
    observe,
    orchestrate: first - whole.from + (whole.to - last),
    overhead: whole.to - whole.from - covered(spans),
  };
}

/** How long at least one of the spans lasted. */
function covered(spans: readonly Span[]): number {
  let total = 0;
  let until = -Infinity;
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    total += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return total;
}

/** On executions that have ended, as the store has them: everything that an expression may read is there. */
async function makingContexts(engine: Engine, ids: readonly string[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (const id of ids) {
    const state = (await inspectEngine(engine).journals.readState(id as ExecutionId))!;
    for (let step = 0; step < stepCount(state); step++) {
      if (compiledStep(state, step).call === undefined) continue;
      times.push(
        time(() => {
          if (renderCall(state, step, STORED_VALUES).kind !== "evaluated")
            throw new Error(`no input could be made for ${id}`);
        }),
      );
    }
  }
  return times;
}
