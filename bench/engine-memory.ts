// The engine without a disk: what running the graph costs beyond calling the functions.

import type { Definition } from "@segno/kernel";
import { Engine } from "@segno/engine";
import { AGENTS, fanOf, graphOf } from "./engine-workflows.ts";
import { figure, median, ms, type Figure } from "./figure.ts";
import { layeredGraph, type LayeredGraph } from "./layered-graph.ts";

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

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
  const dependants: number[][] = graph.ids.map(() => []);
  graph.dependencies.forEach((list, step) => list.forEach((dependency) => dependants[dependency]!.push(step)));
  const workflow = graphOf(graph, 30_000);
  await using engine = await Engine.open({ store: "none", agents: AGENTS, limits: { slots: 1000 } });
  const oursMs: number[] = [];
  const baselineMs: number[] = [];
  for (let round = -3; round < 15; round++) {
    const our = await timed(() => run(engine, workflow));
    const base = await timed(() => loop(graph, dependants));
    if (round < 0) continue;
    oursMs.push(our);
    baselineMs.push(base);
  }
  const [ours, baseline] = [median(oursMs), median(baselineMs)];
  return [
    figure(
      "memory: 10,000 steps with timeouts against a counting loop",
      ours / baseline,
      8,
      `${ms(ours)} against ${ms(baseline)}`,
    ),
  ];
}

export async function benchFan(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const slots of [10, 1000]) {
    await using engine = await Engine.open({ store: "none", agents: AGENTS, limits: { slots } });
    const cost = async (width: number, rounds: number): Promise<number> => {
      const workflow = fanOf(width);
      const times: number[] = [];
      for (let round = -1; round < rounds; round++) {
        const time = await timed(() => run(engine, workflow));
        if (round >= 0) times.push(time / width);
      }
      return median(times);
    };
    const [few, more] = [await cost(1000, 15), await cost(100_000, 3)];
    figures.push(
      figure(
        `fan: a step of 100,000 against one of 1,000, ${slots} slots`,
        more / few,
        1.3,
        `${(few * 1000).toFixed(2)} µs to ${(more * 1000).toFixed(2)} µs`,
      ),
    );
  }
  return figures;
}

async function run(engine: Engine, workflow: Definition): Promise<void> {
  await (await engine.start(workflow)).result();
}
