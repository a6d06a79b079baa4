// The engine without a disk: what running the graph costs beyond calling the functions.

import { Engine } from "@segno/engine";
import { contest } from "./contest.ts";
import { AGENTS, makeFan, makeGraph, run } from "./engine-workflows.ts";
import { figure, median, ms, type Figure } from "./figure.ts";
import { listDependants, layeredGraph, type LayeredGraph } from "./layered-graph.ts";
import { measured, stallNote } from "./stall.ts";

/** Counts what is unmet and calls each function when nothing is: no state, no journal, no timeouts, no slots. */
async function loop({ ids, dependencies }: LayeredGraph, dependants: readonly (readonly number[])[]): Promise<void> {
  const unmet = dependencies.map((list) => list.length);
  const work = Object.values(AGENTS)[0]!;
  let left = ids.length;
  await new Promise<void>((resolve) => {
    const start = (step: number): void => {
      void work().then(() => {
        for (const dependant of dependants[step]!) {
          unmet[dependant]!--;
          if (unmet[dependant] === 0) start(dependant);
        }
        if (--left === 0) resolve();
      });
    };
    unmet.forEach((count, step) => {
      if (count === 0 && dependencies[step]!.length === 0) start(step);
    });
  });
}

export async function benchMemory(): Promise<readonly Figure[]> {
  const graph = layeredGraph(10_000, 50_000);
  const dependants = listDependants(graph);
  const workflow = makeGraph(graph, 30_000);
  await using engine = await Engine.open({ store: "none", agents: AGENTS, limits: { slots: 1000 } });
  const { oursMs, baselineMs, stallMs } = await contest({
    ours: () => run(engine, workflow),
    baseline: () => loop(graph, dependants),
    rounds: 41,
    warmUps: 20,
  });
  return [
    figure(
      "memory: 10,000 steps with timeouts against a counting loop",
      oursMs / baselineMs,
      8,
      `${ms(oursMs)} against ${ms(baselineMs)}, ${stallNote(stallMs)}`,
    ),
  ];
}

export async function benchFan(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const slots of [10, 1000]) {
    await using engine = await Engine.open({ store: "none", agents: AGENTS, limits: { slots } });
    const [few, more] = [await fanCost(engine, 1000, 15), await fanCost(engine, 100_000, 3)];
    figures.push(
      figure(
        `fan: a step of 100,000 against one of 1,000, ${slots} slots`,
        more.stepMs / few.stepMs,
        1.3,
        `${micros(few.stepMs)} to ${micros(more.stepMs)}, ${stallNote(more.stallMs)}`,
      ),
    );
  }
  return figures;
}

/** The cost of a step of a fan. There is no baseline to interleave: one width is the baseline of the other. */
async function fanCost(
  engine: Engine,
  width: number,
  rounds: number,
): Promise<{ readonly stepMs: number; readonly stallMs: number }> {
  const workflow = makeFan(width);
  const times: number[] = [];
  let stallMs = 0;
  for (let round = -1; round < rounds; round++) {
    const result = await measured(() => run(engine, workflow));
    if (round < 0) continue;
    times.push(result.ms / width);
    stallMs = Math.max(stallMs, result.stallMs);
  }
  return { stepMs: median(times), stallMs };
}

function micros(valueMs: number): string {
  return `${(valueMs * 1000).toFixed(2)} µs`;
}
