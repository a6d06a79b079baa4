// Cycles and other problems, against plain reachability.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { build, makeGraph, graphs, type Node } from "../../test/properties/written-graphs.ts";
import type { GraphResult } from "./graph-builder.ts";
import { neighbours, type Graph } from "./graph.ts";

function listCycles({ graph, problems }: GraphResult): string[] {
  return problems.flatMap((problem) =>
    problem.kind === "cycle" ? [problem.path.map((step) => graph.ids[step]).join(" -> ")] : [],
  );
}

/** Which steps reach which, by following edges until nothing is new. */
function naiveReach(nodes: readonly Node[]): Map<string, Set<string>> {
  const reach = new Map(nodes.map((node) => [node.id, new Set<string>()]));
  for (let changed = true; changed;) {
    changed = false;
    for (const node of nodes) {
      for (const [id] of node.dependsOn) {
        const behind = reach.get(id)!;
        for (const next of [node.id, ...reach.get(node.id)!]) {
          if (!behind.has(next)) {
            behind.add(next);
            changed = true;
          }
        }
      }
    }
  }
  return reach;
}

describe("cycles", () => {
  it("GRAPH-1 one is reported for each knot, as a path in running order from its first declared step", () => {
    expect(listCycles(makeGraph("a: b", "b: a"))).toEqual(["a -> b -> a"]);
    expect(listCycles(makeGraph("x", "c: b", "b: a", "a: c", "q: p", "p: q"))).toEqual([
      "c -> a -> b -> c",
      "q -> p -> q",
    ]);
  });

  it("GRAPH-1 a step that waits for itself is noted and reported with the rest", () => {
    expect(listCycles(makeGraph("a: a", "b: c", "c: b", "d: d d"))).toEqual(["a -> a", "b -> c -> b", "d -> d"]);
  });

  it("GRAPH-1 a step after a cycle is not part of it", () => {
    expect(listCycles(makeGraph("a: b", "b: a", "c: a", "d: c"))).toEqual(["a -> b -> a"]);
  });

  it("GRAPH-5 a cycle through a disabled step is still a cycle", () => {
    expect(listCycles(makeGraph("a: b", "!b: a"))).toEqual(["a -> b -> a"]);
    expect(listCycles(makeGraph("!a: a"))).toEqual(["a -> a"]);
  });

  it("GRAPH-1 there is one for each strongly connected component, and each path is one", () => {
    fc.assert(
      fc.property(graphs({ acyclic: false, most: 9 }), (nodes) => {
        const { graph, problems } = build(nodes);
        const reach = naiveReach(nodes);
        const paths = problems.flatMap((problem) => (problem.kind === "cycle" ? [problem.path] : []));
        const knots = new Set(
          nodes
            .filter(({ id }) => reach.get(id)!.has(id))
            .map(({ id }) => nodes.findIndex((other) => reach.get(id)!.has(other.id) && reach.get(other.id)!.has(id))),
        );
        const loops = nodes.flatMap(({ id, dependsOn }, index) => (dependsOn.some(([to]) => to === id) ? [index] : []));
        const large = [...knots].filter((first) => {
          const { id } = nodes[first]!;
          return nodes.some((other) => other.id !== id && reach.get(id)!.has(other.id) && reach.get(other.id)!.has(id));
        });
        expect(paths.map(([first]) => first)).toEqual([...loops, ...large].toSorted((a, b) => a - b));
        for (const path of paths) checkCycle(graph, nodes, path);
      }),
      { numRuns: 500 },
    );
  });
});

function checkCycle(graph: Graph, nodes: readonly Node[], path: readonly number[]): void {
  expect(path[0]).toBe(path.at(-1));
  expect(path[0]).toBe(Math.min(...path));
  expect(new Set(path).size).toBe(path.length - 1);
  for (let at = 1; at < path.length; at++)
    expect(nodes[path[at]!]!.dependsOn.map(([id]) => id)).toContain(graph.ids[path[at - 1]!]);
}

describe("problems", () => {
  it("GRAPH-6 come all, by declaration, and cycles last", () => {
    const { problems } = makeGraph("a: b x", "b: a", "a", "c: y", "c: z");
    expect(problems).toEqual([
      { kind: "unknown-dependency", step: 0, position: 1, id: "x" },
      { kind: "duplicate-id", step: 2, first: 0 },
      { kind: "unknown-dependency", step: 3, position: 0, id: "y" },
      { kind: "duplicate-id", step: 4, first: 3 },
      { kind: "unknown-dependency", step: 4, position: 0, id: "z" },
      { kind: "cycle", path: [0, 1, 0] },
    ]);
  });

  it("GRAPH-7 a repeated id refers to the first step with it", () => {
    const { graph, problems } = makeGraph("a", "a", "b: a");
    expect(problems).toEqual([{ kind: "duplicate-id", step: 1, first: 0 }]);
    expect([...neighbours(graph.dependencies, 2)]).toEqual([0]);
    expect(makeGraph("a", "a", "a").problems).toHaveLength(2);
  });
});
