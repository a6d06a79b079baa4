// Build, validate and order a graph of 100,000 steps and 500,000 edges.
//
// Baselines: three libraries that do the same on the same graph, and, for the growth, a bare `Map` of the ids.

import graphlib from "graphlib";
import { DepGraph } from "dependency-graph";
import toposort from "toposort";
import { GraphBuilder, computeOrder } from "@segno/kernel";
import { contest, type Medians } from "./contest.ts";
import { figure, ms, type Figure } from "./figure.ts";
import { layeredGraph, type LayeredGraph } from "./layered-graph.ts";

export async function benchGraph(): Promise<readonly Figure[]> {
  const large = layeredGraph(100_000, 500_000);
  const small = layeredGraph(10_000, 50_000);
  return [await againstLibraries(large), await growth(small, large)];
}

function ours({ ids, dependencies }: LayeredGraph): number {
  const builder = new GraphBuilder();
  for (let step = 0; step < ids.length; step++) {
    builder.add(ids[step]!);
    for (const dependency of dependencies[step]!) builder.dependOn(ids[dependency]!);
  }
  const { graph, problems } = builder.build();
  if (problems.length > 0) throw new Error("the benchmark's graph is not sound");
  return computeOrder(graph).steps.length;
}

const LIBRARIES: Readonly<Record<string, (graph: LayeredGraph) => unknown>> = {
  toposort: ({ ids, dependencies }) => {
    const edges: [string, string][] = [];
    dependencies.forEach((list, step) => list.forEach((dependency) => edges.push([ids[dependency]!, ids[step]!])));
    return toposort.array([...ids], edges);
  },
  graphlib: ({ ids, dependencies }) => {
    const graph = new graphlib.Graph();
    for (const id of ids) graph.setNode(id);
    dependencies.forEach((list, step) => list.forEach((dependency) => graph.setEdge(ids[dependency]!, ids[step]!)));
    return graphlib.alg.topsort(graph);
  },
  "dependency-graph": ({ ids, dependencies }) => {
    const graph = new DepGraph<undefined>();
    for (const id of ids) graph.addNode(id);
    dependencies.forEach((list, step) =>
      list.forEach((dependency) => graph.addDependency(ids[step]!, ids[dependency]!)),
    );
    return graph.overallOrder();
  },
};

async function againstLibraries(large: LayeredGraph): Promise<Figure> {
  const results: (Medians & { readonly name: string })[] = [];
  for (const [name, order] of Object.entries(LIBRARIES)) {
    const medians = await contest({ ours: () => ours(large), baseline: () => order(large), rounds: 7, warmUps: 2 });
    results.push({ name, ...medians });
  }
  const fastest = results.reduce((a, b) => (b.baselineMs < a.baselineMs ? b : a));
  const all = results.map(({ name, baselineMs }) => `${name} ${ms(baselineMs)}`).join(", ");
  return figure(
    "graph: 100,000 steps against the fastest library",
    fastest.oursMs / fastest.baselineMs,
    0.25,
    `${ms(fastest.oursMs)}; ${all}`,
  );
}

/** How much dearer ten times the steps are, against how much dearer they are for a bare map. */
async function growth(small: LayeredGraph, large: LayeredGraph): Promise<Figure> {
  const at = (graph: LayeredGraph): Promise<Medians> =>
    contest({ ours: () => ours(graph), baseline: () => bareMap(graph), rounds: 21 });
  const [few, many] = [await at(small), await at(large)];
  const oursGrowth = many.oursMs / few.oursMs;
  const mapGrowth = many.baselineMs / few.baselineMs;
  const note = `ours ${ms(few.oursMs)} to ${ms(many.oursMs)}, map ${ms(few.baselineMs)} to ${ms(many.baselineMs)}`;
  return figure("graph: growth from 10,000 to 100,000 against a bare Map", oursGrowth / mapGrowth, 1.5, note);
}

function bareMap({ ids }: LayeredGraph): Map<string, number> {
  const map = new Map<string, number>();
  for (let index = 0; index < ids.length; index++) map.set(ids[index]!, index);
  return map;
}
