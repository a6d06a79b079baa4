// The order of a graph, against a simple reference implementation.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { build, makeGraph, graphs, type Node } from "../../test/properties/written-graphs.ts";
import { GraphBuilder, type GraphResult } from "./graph-builder.ts";
import { EDGE_KINDS, neighbours, type Graph } from "./graph.ts";
import { enabledDependencyCounts, computeOrder, waveCount, waveSteps } from "./order.ts";
import { endedBefore, missingBefore } from "./precedence.ts";
import { findAncestors } from "./reachability.ts";

function waves({ graph }: GraphResult): string[][] {
  const order = computeOrder(graph);
  return Array.from({ length: waveCount(order) }, (_, wave) =>
    [...waveSteps(order, wave)].map((step) => graph.ids[step]!),
  );
}

/** The first wave in which a step can be: one after the last of its enabled dependencies. */
function naiveWave(nodes: readonly Node[], node: Node): number {
  const before = node.dependsOn.map(([id]) => nodes.find((each) => each.id === id)!).filter((each) => each.isEnabled);
  return before.length === 0 ? 0 : 1 + Math.max(...before.map((each) => naiveWave(nodes, each)));
}

function naiveOrder(nodes: readonly Node[]): string[][] {
  const found: string[][] = [];
  for (const node of nodes.filter(({ isEnabled }) => isEnabled)) (found[naiveWave(nodes, node)] ??= []).push(node.id);
  return found;
}

it("GRAPH-2 is by waves, and by declaration inside a wave", () => {
  expect(waves(makeGraph("a", "b: a", "c"))).toEqual([["a", "c"], ["b"]]);
  expect(waves(makeGraph("d: b", "b: a", "c", "a"))).toEqual([["c", "a"], ["b"], ["d"]]);
});

it("GRAPH-2 is the same as a plain implementation's, with the earliest wave for each step", () => {
  fc.assert(
    fc.property(graphs({ acyclic: true }), (nodes) => {
      const result = build(nodes);
      expect(result.problems).toEqual([]);
      expect(waves(result)).toEqual(naiveOrder(nodes));
    }),
    { numRuns: 500 },
  );
});

it("GRAPH-2 puts a step behind everything that it waits for", () => {
  fc.assert(
    fc.property(graphs({ acyclic: true, most: 30 }), (nodes) => {
      const { graph } = build(nodes);
      const { steps, waveOf } = computeOrder(graph);
      const place = new Map([...steps].map((step, index) => [step, index]));
      for (const step of steps) {
        for (const dependency of neighbours(graph.dependencies, step)) {
          if (graph.disabled[dependency] === 1) continue;
          expect(place.get(dependency)!).toBeLessThan(place.get(step)!);
          expect(waveOf[dependency]!).toBeLessThan(waveOf[step]!);
        }
      }
    }),
    { numRuns: 200 },
  );
});

it("GRAPH-3 dependencies are a set: order and repetition have no effect", () => {
  expect(waves(makeGraph("a", "b", "c: b a b a"))).toEqual(waves(makeGraph("a", "b", "c: a b")));
  fc.assert(
    fc.property(graphs({ acyclic: true }), fc.infiniteStream(fc.nat(100)), (nodes, chance) => {
      const mixed = nodes.map((node) => ({
        ...node,
        dependsOn: [...node.dependsOn, ...node.dependsOn.slice(0, chance.next().value! % 3)].toSorted(
          () => (chance.next().value! % 2) - 0.5,
        ),
      }));
      expect(flat(build(mixed).graph)).toEqual(flat(build(nodes).graph));
    }),
    { numRuns: 200 },
  );
});

it("GRAPH-3 both directions are sorted by declaration and hold each edge once", () => {
  fc.assert(
    fc.property(graphs({ acyclic: true }), (nodes) => {
      const { graph } = build(nodes);
      let edges = 0;
      for (const adjacency of [graph.dependants, graph.dependencies]) {
        for (let step = 0; step < graph.size; step++) {
          const list = [...neighbours(adjacency, step)];
          expect(list).toEqual([...new Set(list)].toSorted((a, b) => a - b));
          edges += list.length;
        }
      }
      expect(edges).toBe(2 * graph.edgeCount);
    }),
    { numRuns: 200 },
  );
});

it("GRAPH-3 a dependency that is repeated with another kind keeps the stricter one", () => {
  const { graph } = makeGraph("a", "b: ~a a", "c: ~a");
  expect([...graph.dependencies.kinds].map((kind) => EDGE_KINDS[kind])).toEqual(["succeeded", "settled"]);
});

it("GRAPH-4 steps without an edge are in the first wave", () => {
  expect(waves(makeGraph("a", "b: a", "lonely", "also"))).toEqual([["a", "lonely", "also"], ["b"]]);
  expect(waves(makeGraph())).toEqual([]);
});

it("GRAPH-5 disabled steps are in no wave and delay no step", () => {
  expect(waves(makeGraph("a", "!b: a", "c: b"))).toEqual([["a", "c"]]);
  expect([...enabledDependencyCounts(makeGraph("a", "!b: a", "c: a b").graph)]).toEqual([0, 1, 1]);
  expect(computeOrder(makeGraph("!a", "!b").graph).waveOf).toEqual(Int32Array.of(-1, -1));
});

it("GRAPH-5 an unknown dependency of a disabled step is accepted", () => {
  expect(makeGraph("!a: nowhere", "b").problems).toEqual([]);
});

it("STATE-3 the counts that an execution starts with are those of the enabled dependencies", () => {
  fc.assert(
    fc.property(graphs({ acyclic: true }), (nodes) => {
      const enabled = new Set(nodes.filter(({ isEnabled }) => isEnabled).map(({ id }) => id));
      const expected = nodes.map(
        ({ dependsOn }) => new Set(dependsOn.map(([id]) => id).filter((id) => enabled.has(id))).size,
      );
      expect([...enabledDependencyCounts(build(nodes).graph)]).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

it("GRAPH-8 a chain of 100,000 steps is built, checked and ordered without recursion", () => {
  const size = 100_000;
  const builder = new GraphBuilder();
  // Declared from the last to the first, so that nothing is in order by chance.
  for (let step = size - 1; step >= 0; step--) {
    builder.add(`s${step}`);
    if (step > 0) builder.dependOn(`s${step - 1}`);
  }
  const { graph, problems } = builder.build();
  expect(problems).toEqual([]);
  const order = computeOrder(graph);
  expect(waveCount(order)).toBe(size);
  expect(graph.ids[order.steps[0]!]).toBe("s0");
  expect(graph.ids[order.steps.at(-1)!]).toBe(`s${size - 1}`);
  expect(findAncestors(graph, 0)).toHaveLength(size - 1);
  expect(endedBefore(graph, 0)).toHaveLength(size - 1);
  expect(missingBefore(graph, [{ reader: 0, steps: [size - 1] }], 1)).toEqual([[]]);
});

it("GRAPH-8 a circle of 100,000 steps is found without recursion", () => {
  const size = 100_000;
  const builder = new GraphBuilder();
  for (let step = 0; step < size; step++) {
    builder.add(`s${step}`);
    builder.dependOn(`s${(step + size - 1) % size}`);
  }
  const [problem] = builder.build().problems;
  expect(problem?.kind === "cycle" && problem.path.length).toBe(size + 1);
});

function flat(graph: Graph): unknown {
  const { dependants, dependencies } = graph;
  return [dependants, dependencies].map(({ offsets, targets, kinds }) => [[...offsets], [...targets], [...kinds]]);
}
